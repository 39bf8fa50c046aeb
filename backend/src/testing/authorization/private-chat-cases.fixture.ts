import {
  type AuthorizationTable,
  type FrameCase,
  allowOnlyFriendAsReceiver,
  allowOnlyFriendIds,
  forbidOtherUserIds,
  forbidOtherUserIdsInFrame,
} from './authorization-case.fixture';

/**
 * The cases of a frame about a stored message, which the actor `self` has sent to the actor `friend`. The server first
 * checks the sender's id, then the friendship of sender and receiver, and then the message.
 * @param senderIdField name of the field that must contain the sender's own user id.
 * @param friendOutcome the outcome when `friend` sends the frame to `self` with the id of this message.
 */
const createMessageCases = (data: object, senderIdField: string, friendOutcome: string): FrameCase[] => [
  // Tries each kind of message id except `own`. The receiver is `self`; if `self` is the caller, it is `stranger`.
  {
    data: ({ callerId, message, otherUserId }) => ({
      ...data,
      messageId: message,
      receiverId: otherUserId,
      [senderIdField]: callerId,
    }),
    outcomes: {
      other: { friend: friendOutcome, else: 'not_friends' },
      missing: { friend: 'message_not_found', else: 'not_friends' },
      malformed: 'invalid_payload',
    },
  },
  // Tries each kind of sender id.
  {
    data: ({ user, friendlessId }) => ({
      ...data,
      messageId: 1, // never looked up, because the receiver is not a friend
      receiverId: friendlessId,
      [senderIdField]: user,
    }),
    outcomes: forbidOtherUserIdsInFrame({ own: 'not_friends' }),
  },
];

export const privateChatCases: AuthorizationTable = {
  routes: {
    'GET /api/private-messages/unread-counts/:userId': {
      cases: [
        {
          path: ({ user }) => `/api/private-messages/unread-counts/${String(user)}`,
          outcomes: forbidOtherUserIds({ own: '200' }),
        },
      ],
    },
    'GET /api/private-messages/:userId/:friendId': {
      cases: [
        {
          path: ({ user, friendlessId }) => `/api/private-messages/${String(user)}/${friendlessId}`,
          outcomes: forbidOtherUserIds({ own: '403 not_friends' }),
        },
        {
          path: ({ user, callerId }) => `/api/private-messages/${callerId}/${String(user)}`,
          outcomes: allowOnlyFriendIds('200'),
        },
      ],
    },
    'PUT /api/private-messages/read/:friendId/:userId': {
      cases: [
        {
          path: ({ user, friendlessId }) => `/api/private-messages/read/${friendlessId}/${String(user)}`,
          outcomes: forbidOtherUserIds({ own: '403 not_friends' }),
        },
        {
          path: ({ user, callerId }) => `/api/private-messages/read/${String(user)}/${callerId}`,
          outcomes: allowOnlyFriendIds('204'),
        },
      ],
    },
  },
  frames: {
    send_private_message: [
      {
        data: ({ user, friendlessId }) => ({
          senderId: user,
          receiverId: friendlessId,
          content: 'x',
          messageType: 'text',
        }),
        outcomes: forbidOtherUserIdsInFrame({ own: 'not_friends' }),
      },
      {
        data: ({ user, callerId }) => ({
          senderId: callerId,
          receiverId: user,
          content: 'x',
          messageType: 'text',
        }),
        outcomes: allowOnlyFriendAsReceiver,
      },
    ],
    edit_private_message: createMessageCases({ newContent: 'x' }, 'senderId', 'not_editable'),
    react_private_message: createMessageCases({ emoji: '🔥' }, 'userId', 'ack'),
    delete_private_message: createMessageCases({}, 'senderId', 'not_editable'),
  },
};
