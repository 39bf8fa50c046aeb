import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';

const DAY_MS = 24 * 60 * 60_000;
/** Upper bound for keeping message bodies of random chats, whatever happens. */
const BODIES_BACKSTOP_MS = 7 * DAY_MS;

const personal = (type: string, personalFields: readonly string[], author: string): EventTypeDefinition => ({
  type,
  schemaVersion: 1,
  personalFields,
  subjectId: (data) => Number(data[author]),
  personalExpiresAfterMs: BODIES_BACKSTOP_MS,
});

const plain = (type: string): EventTypeDefinition => ({ type, schemaVersion: 1, personalFields: [] });

/**
 * A client chooses `clientId` and `gameId`, so they may hold any text. Events of earlier releases have them in the log;
 * moving a field does not change the shape of an event, hence its version.
 */
export const randomChatEventTypes: readonly EventTypeDefinition[] = [
  { ...plain('ChatStarted'), personalFields: ['participants'], personalExpiresAfterMs: BODIES_BACKSTOP_MS },
  personal('MessageSent', ['content', 'replyTo', 'clientId'], 'senderId'),
  personal('MessageEdited', ['content'], 'editorId'),
  plain('ReactionAdded'),
  plain('ReactionRemoved'),
  personal('GameStarted', ['gameId'], 'initiatorId'),
  personal('GameAnswered', ['gameId', 'response'], 'userId'),
  {
    ...plain('GameRevealed'),
    personalFields: ['gameId', 'answers'],
    personalExpiresAfterMs: BODIES_BACKSTOP_MS,
  },
  personal('GameIgnored', ['gameId'], 'userId'),
  plain('ChatEnded'),
  plain('BodiesExpired'),
];
