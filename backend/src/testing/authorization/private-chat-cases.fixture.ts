import {
  type AuthorizationTable,
  type FrameCase,
  onlyFriendAsReceiver,
  onlyFriendIds,
  onlyOwnUserId,
  onlyOwnUserIdInFrame,
} from './authorization-case.fixture';

/**
 * The cases of a frame about a stored message, which `self` has sent to `friend`.
 *
 * @param senderIdField name of the field that must contain the sender's own user id.
 * @param answerToFriend what `friend` receives for it.
 */
const createMessageCases = (data: object, senderIdField: string, answerToFriend: string): FrameCase[] => [
  {
    data: ({ me, message, them }) => ({ ...data, messageId: message, receiverId: them, [senderIdField]: me }),
    outcomes: {
      other: { friend: answerToFriend, else: 'not_friends' },
      missing: { friend: 'message_not_found', else: 'not_friends' },
      malformed: 'invalid_payload',
    },
  },
  {
    data: ({ user, loner }) => ({ ...data, messageId: 1, receiverId: loner, [senderIdField]: user }),
    outcomes: onlyOwnUserIdInFrame('not_friends'),
  },
];

export const privateChatCases: AuthorizationTable = {
  routes: {
    'GET /api/private-messages/unread-counts/:userId': {
      cases: [
        {
          path: ({ user }) => `/api/private-messages/unread-counts/${String(user)}`,
          outcomes: onlyOwnUserId('200'),
        },
      ],
    },
    'GET /api/private-messages/:userId/:friendId': {
      cases: [
        {
          path: ({ user, loner }) => `/api/private-messages/${String(user)}/${loner}`,
          outcomes: onlyOwnUserId('403 not_friends'),
        },
        {
          path: ({ user, me }) => `/api/private-messages/${me}/${String(user)}`,
          outcomes: onlyFriendIds('200'),
        },
      ],
    },
    'PUT /api/private-messages/read/:friendId/:userId': {
      cases: [
        {
          path: ({ user, loner }) => `/api/private-messages/read/${loner}/${String(user)}`,
          outcomes: onlyOwnUserId('403 not_friends'),
        },
        {
          path: ({ user, me }) => `/api/private-messages/read/${String(user)}/${me}`,
          outcomes: onlyFriendIds('204'),
        },
      ],
    },
  },
  frames: {
    send_private_message: [
      {
        data: ({ user, loner }) => ({ senderId: user, receiverId: loner, content: 'x', messageType: 'text' }),
        outcomes: onlyOwnUserIdInFrame('not_friends'),
      },
      {
        data: ({ user, me }) => ({ senderId: me, receiverId: user, content: 'x', messageType: 'text' }),
        outcomes: onlyFriendAsReceiver,
      },
    ],
    edit_private_message: createMessageCases({ newContent: 'x' }, 'senderId', 'not_editable'),
    react_private_message: createMessageCases({ emoji: '🔥' }, 'userId', 'ack'),
    delete_private_message: createMessageCases({}, 'senderId', 'not_editable'),
  },
};
