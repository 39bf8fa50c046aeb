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

export const randomChatEventTypes: readonly EventTypeDefinition[] = [
  { ...plain('ChatStarted'), personalFields: ['participants'], personalExpiresAfterMs: BODIES_BACKSTOP_MS },
  personal('MessageSent', ['content', 'replyTo'], 'senderId'),
  personal('MessageEdited', ['content'], 'editorId'),
  plain('ReactionAdded'),
  plain('ReactionRemoved'),
  plain('GameStarted'),
  personal('GameAnswered', ['response'], 'userId'),
  { ...plain('GameRevealed'), personalFields: ['answers'], personalExpiresAfterMs: BODIES_BACKSTOP_MS },
  plain('GameIgnored'),
  plain('ChatEnded'),
  plain('BodiesExpired'),
];
