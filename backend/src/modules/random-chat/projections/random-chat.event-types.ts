import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';

const DAY_MS = 24 * 60 * 60_000;
/** Maximum time for which message bodies are stored, even if the end of their chat is never recorded. */
const BODIES_BACKSTOP_MS = 7 * DAY_MS;

/** An event type with personal fields. @param authorField field with the id of the user who wrote these fields. */
const definePersonal = (
  type: string,
  personalFields: readonly string[],
  authorField: string,
): EventTypeDefinition => ({
  type,
  schemaVersion: 1,
  personalFields,
  subjectId: (data) => Number(data[authorField]),
  personalExpiresAfterMs: BODIES_BACKSTOP_MS,
});

/** An event type without personal fields. */
const definePlain = (type: string): EventTypeDefinition => ({ type, schemaVersion: 1, personalFields: [] });

/**
 * `clientId` and `gameId` are personal fields because clients choose them, so they may contain any text. Events of
 * earlier releases have these two fields in the log. Their schema version is still 1, since the shape of the event has
 * not changed. `participants` and `answers` have no subject, because they are about both users.
 */
export const randomChatEventTypes: readonly EventTypeDefinition[] = [
  {
    ...definePlain('ChatStarted'),
    personalFields: ['participants'],
    personalExpiresAfterMs: BODIES_BACKSTOP_MS,
  },
  definePersonal('MessageSent', ['content', 'replyTo', 'clientId'], 'senderId'),
  definePersonal('MessageEdited', ['content'], 'editorId'),
  definePlain('ReactionAdded'),
  definePlain('ReactionRemoved'),
  definePersonal('GameStarted', ['gameId'], 'initiatorId'),
  definePersonal('GameAnswered', ['gameId', 'response'], 'userId'),
  {
    ...definePlain('GameRevealed'),
    personalFields: ['gameId', 'answers'],
    personalExpiresAfterMs: BODIES_BACKSTOP_MS,
  },
  definePersonal('GameIgnored', ['gameId'], 'userId'),
  definePlain('ChatEnded'),
  // Appended when the personal fields of a chat have expired.
  definePlain('BodiesExpired'),
];
