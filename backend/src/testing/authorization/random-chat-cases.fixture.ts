import { closeCodes } from '@thaw/contract/close-codes';
import { questions } from '@thaw/contract/questions';
import {
  type AuthorizationTable,
  type FrameCase,
  allowOnlyFriendAsReceiver,
  forbidOtherUserIds,
  forbidOtherUserIdsInFrame,
  type Outcomes,
} from './authorization-case.fixture';

const [question] = questions;

/**
 * For a frame with a session id. The caller's own session (`own`) is not tried: the frame could change or end the chat
 * that later attempts need.
 */
const refuseOtherSessions: Outcomes = {
  other: 'not_in_session',
  missing: 'not_in_session',
  malformed: 'invalid_payload',
};

/** The cases of a frame about a chat session that does not name its sender. @param data valid other fields */
const createSessionCases = (data: object): FrameCase[] => [
  { data: ({ session }) => ({ ...data, sessionId: session }), outcomes: refuseOtherSessions },
];

/**
 * The cases of a frame about a chat session that also names its sender.
 * @param data valid other fields.
 * @param senderIdField name of the field that must contain the sender's own user id.
 */
const createSessionAndSenderCases = (data: object, senderIdField: string): FrameCase[] => [
  {
    data: ({ session, callerId }) => ({ ...data, sessionId: session, [senderIdField]: callerId }),
    outcomes: refuseOtherSessions,
  },
  {
    // The server checks the sender first, so it refuses another user's id whatever the session.
    data: ({ user }) => ({ ...data, sessionId: 'nothing', [senderIdField]: user }),
    outcomes: forbidOtherUserIdsInFrame(),
  },
];

export const randomChatCases: AuthorizationTable = {
  routes: {
    'GET /api/chat-history/:userId': {
      cases: [
        {
          path: ({ user }) => `/api/chat-history/${String(user)}`,
          outcomes: forbidOtherUserIds({ own: '200' }),
        },
      ],
    },
  },
  frames: {
    authenticate: [
      {
        data: ({ user }) => ({ userId: user }),
        outcomes: {
          own: 'authenticated',
          other: `closed ${closeCodes.userMismatch}`,
          missing: `closed ${closeCodes.userMismatch}`,
          malformed: 'invalid_payload',
        },
      },
    ],
    show_chat: createSessionCases({ showsChat: true }),
    skip_chat: createSessionCases({}),
    random_message: createSessionCases({ content: 'hi', messageType: 'text' }),
    break_ice_start: createSessionAndSenderCases(
      { gameId: 'g', question: { id: question!.id } },
      'initiatorId',
    ),
    break_ice_response: createSessionAndSenderCases({ gameId: 'g', response: 'x' }, 'userId'),
    break_ice_ignore: createSessionAndSenderCases({ gameId: 'g' }, 'userId'),
    message_reaction: createSessionAndSenderCases({ messageId: '1-0', emoji: '🔥', action: 'add' }, 'userId'),
    message_edit: createSessionAndSenderCases({ messageId: '1-0', newContent: 'x' }, 'userId'),
    // Typing in a random chat has a session id, in a private chat the user id of the receiver.
    typing: [
      ...createSessionCases({}),
      { data: ({ user }) => ({ receiverId: user }), outcomes: allowOnlyFriendAsReceiver },
    ],
  },
};
