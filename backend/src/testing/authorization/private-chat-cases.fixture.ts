import {
  type AuthorizationTable,
  type FrameCase,
  allowOnlyFriendAsReceiver,
  allowOnlyFriendIds,
  forbidOtherUserIds,
  forbidOtherUserIdsInFrame,
} from './authorization-case.fixture';

interface MessageFrame {
  /** The fields of the frame's data apart from ids. */
  fields?: object;
  /** The field that must contain the sender's own user id. */
  senderIdField: 'senderId' | 'userId';
  /** The outcome for `friend`, who has received the message. */
  friendOutcome: string;
}

/**
 * The cases of a frame about a stored message, which the actor `self` has sent to the actor `friend`. The server checks
 * the sender's id first, then the friendship of sender and receiver, and then the message.
 */
const createMessageCases = ({ fields = {}, senderIdField, friendOutcome }: MessageFrame): FrameCase[] => {
  const withMessageIds: FrameCase = {
    data: ({ callerId, message, otherUserId }) => ({
      ...fields,
      messageId: message,
      receiverId: otherUserId,
      [senderIdField]: callerId,
    }),
    // The kind `own` is not tried: there is only the message of `self`.
    outcomes: {
      other: { friend: friendOutcome, else: 'not_friends' },
      missing: { friend: 'message_not_found', else: 'not_friends' },
      malformed: 'invalid_payload',
    },
  };
  const withSenderIds: FrameCase = {
    data: ({ user, friendlessId }) => ({
      ...fields,
      messageId: 1, // never looked up, because the receiver is not a friend
      receiverId: friendlessId,
      [senderIdField]: user,
    }),
    outcomes: forbidOtherUserIdsInFrame({ own: 'not_friends' }),
  };
  return [withMessageIds, withSenderIds];
};

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
    edit_private_message: createMessageCases({
      fields: { newContent: 'x' },
      senderIdField: 'senderId',
      friendOutcome: 'not_editable',
    }),
    react_private_message: createMessageCases({
      fields: { emoji: '🔥' },
      senderIdField: 'userId',
      friendOutcome: 'ack',
    }),
    delete_private_message: createMessageCases({ senderIdField: 'senderId', friendOutcome: 'not_editable' }),
  },
};
