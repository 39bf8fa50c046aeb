import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';

const DAY_MS = 24 * 60 * 60_000;
/** Upper bound for keeping message bodies of random chats, whatever happens. */
const BODIES_BACKSTOP_MS = 7 * DAY_MS;

/** An event with personal fields. @param authorField the field with the id of the user whom they are about. */
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

/** An event without personal fields. */
const definePlain = (type: string): EventTypeDefinition => ({ type, schemaVersion: 1, personalFields: [] });

/**
 * A client chooses `clientId` and `gameId`, so they may hold any text. Events of earlier releases have them in the log;
 * moving a field does not change the shape of an event, hence its version.
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
  definePlain('BodiesExpired'),
];
