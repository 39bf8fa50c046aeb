import { closeCodes } from '@thaw/contract/close-codes';
import { questions } from '@thaw/contract/questions';
import {
  type AuthorizationTable,
  type FrameCase,
  type Ids,
  allowOnlyFriendAsReceiver,
  forbidOtherUserIds,
  forbidOtherUserIdsInFrame,
  type Outcomes,
} from './authorization-case.fixture';

const [question] = questions;

/** Without `own`: an attempt on the caller's own session could change or end the chat that later attempts need. */
const refuseOtherSessions: Outcomes = {
  other: 'not_in_session',
  missing: 'not_in_session',
  malformed: 'invalid_payload',
};

/**
 * The cases of a frame about a chat session: attempts with other session ids, and attempts with other user ids if the
 * frame has a field for the sender. No outcomes have `own`, so the server refuses every attempt.
 *
 * @param data valid other fields of the frame.
 * @param senderIdField name of the field that must contain the sender's own user id, if the frame has one.
 */
const createSessionCases = (data: object, senderIdField?: string): FrameCase[] => {
  const createSenderField = (id: unknown) => (senderIdField === undefined ? {} : { [senderIdField]: id });
  const cases = [
    {
      data: ({ callerId, session }: Ids) => ({ ...data, ...createSenderField(callerId), sessionId: session }),
      outcomes: refuseOtherSessions,
    },
  ];
  if (senderIdField === undefined) return cases;
  return [
    ...cases,
    // The server checks the user id before the session, so the outcome does not depend on the session id.
    {
      data: ({ user }) => ({ ...data, ...createSenderField(user), sessionId: 'nothing' }),
      outcomes: forbidOtherUserIdsInFrame(),
    },
  ];
};

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
    break_ice_start: createSessionCases({ gameId: 'g', question: { id: question!.id } }, 'initiatorId'),
    break_ice_response: createSessionCases({ gameId: 'g', response: 'x' }, 'userId'),
    break_ice_ignore: createSessionCases({ gameId: 'g' }, 'userId'),
    message_reaction: createSessionCases({ messageId: '1-0', emoji: '🔥', action: 'add' }, 'userId'),
    message_edit: createSessionCases({ messageId: '1-0', newContent: 'x' }, 'userId'),
    // Typing in a random chat has a session id, in a private chat the user id of the receiver.
    typing: [
      ...createSessionCases({}),
      { data: ({ user }) => ({ receiverId: user }), outcomes: allowOnlyFriendAsReceiver },
    ],
  },
};
