import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';

const DAY_MS = 24 * 60 * 60_000;
/** Maximum time for which personal fields are stored, even if the end of their chat is never recorded. */
const PERSONAL_FIELDS_MAX_AGE_MS = 7 * DAY_MS;

/**
 * An event type with personal fields.
 * @param authorField field with the id of the user who wrote these fields; none if they are about both users.
 */
const definePersonal = (
  type: string,
  personalFields: readonly string[],
  authorField?: string,
): EventTypeDefinition => ({
  type,
  schemaVersion: 1,
  personalFields,
  personalExpiresAfterMs: PERSONAL_FIELDS_MAX_AGE_MS,
  ...(authorField === undefined
    ? {}
    : { subjectId: (data: Record<string, unknown>) => Number(data[authorField]) }),
});

/** An event type without personal fields. */
const definePlain = (type: string): EventTypeDefinition => ({ type, schemaVersion: 1, personalFields: [] });

/**
 * `clientId` and `gameId` are personal fields because clients choose them, so they may contain any text. Personal
 * fields are stored beside the log, but events of earlier releases have these two fields in the log. When the fields
 * were moved, the schema version stayed the same, since the shape of the data did.
 */
export const randomChatEventTypes: readonly EventTypeDefinition[] = [
  definePersonal('ChatStarted', ['participants']),
  definePersonal('MessageSent', ['content', 'replyTo', 'clientId'], 'senderId'),
  definePersonal('MessageEdited', ['content'], 'editorId'),
  definePlain('ReactionAdded'),
  definePlain('ReactionRemoved'),
  definePersonal('GameStarted', ['gameId'], 'initiatorId'),
  definePersonal('GameAnswered', ['gameId', 'response'], 'userId'),
  definePersonal('GameRevealed', ['gameId', 'answers']),
  definePersonal('GameIgnored', ['gameId'], 'userId'),
  definePlain('ChatEnded'),
  // Appended when the personal fields of a chat have expired.
  definePlain('BodiesExpired'),
];
