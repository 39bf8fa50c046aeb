import { questions } from '@thaw/contract/questions';
import {
  type AuthorizationTable,
  type FrameCase,
  type Ids,
  onlyFriendAsReceiver,
  onlyOwnUserId,
  onlyOwnUserIdInFrame,
  type Outcomes,
} from './authorization-case.fixture';

const [question] = questions;

const onlyOwnSession: Outcomes = {
  other: 'not_in_session',
  missing: 'not_in_session',
  malformed: 'invalid_payload',
};

/**
 * The cases of a frame about a chat session.
 *
 * @param senderIdField name of the field that must contain the sender's own user id, if the frame has one.
 */
const aboutSession = (data: object, senderIdField?: string): FrameCase[] => {
  const ofSender = (id: unknown) => (senderIdField === undefined ? {} : { [senderIdField]: id });
  const cases = [
    {
      data: ({ me, session }: Ids) => ({ ...data, ...ofSender(me), sessionId: session }),
      outcomes: onlyOwnSession,
    },
  ];
  if (senderIdField === undefined) return cases;
  return [
    ...cases,
    {
      data: ({ user }) => ({ ...data, ...ofSender(user), sessionId: 'nothing' }),
      outcomes: onlyOwnUserIdInFrame(),
    },
  ];
};

export const randomChatCases: AuthorizationTable = {
  routes: {
    'GET /api/chat-history/:userId': {
      cases: [{ path: ({ user }) => `/api/chat-history/${String(user)}`, outcomes: onlyOwnUserId('200') }],
    },
  },
  frames: {
    authenticate: [
      {
        data: ({ user }) => ({ userId: user }),
        outcomes: {
          own: 'authenticated',
          other: 'closed 4403',
          missing: 'closed 4403',
          malformed: 'invalid_payload',
        },
      },
    ],
    show_chat: aboutSession({ showsChat: true }),
    skip_chat: aboutSession({}),
    random_message: aboutSession({ content: 'hi', messageType: 'text' }),
    break_ice_start: aboutSession({ gameId: 'g', question: { id: question!.id } }, 'initiatorId'),
    break_ice_response: aboutSession({ gameId: 'g', response: 'x' }, 'userId'),
    break_ice_ignore: aboutSession({ gameId: 'g' }, 'userId'),
    message_reaction: aboutSession({ messageId: '1-0', emoji: '🔥', action: 'add' }, 'userId'),
    message_edit: aboutSession({ messageId: '1-0', newContent: 'x' }, 'userId'),
    // The one event that has a session id in a random chat and the id of the receiver in a private chat.
    typing: [
      ...aboutSession({}),
      { data: ({ user }) => ({ receiverId: user }), outcomes: onlyFriendAsReceiver },
    ],
  },
};
