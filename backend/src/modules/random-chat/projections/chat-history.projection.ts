import type { EntityManager } from 'typeorm';
import { PersonalDataRepository } from '../../../platform/event-store/personal-data.repository';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { ChatEnded, ChatStarted } from '../domain/random-chat.events';

type StoredChatStarted = StoredEvent<'ChatStarted', ChatStarted['data']>;
type StoredChatEnded = StoredEvent<'ChatEnded', ChatEnded['data']>;

const DAY_MS = 24 * 60 * 60_000;
/** Message bodies are erased a day after the end of the chat (docs/product-decisions.md, A62). */
const BODIES_KEPT_AFTER_END_MS = DAY_MS;

/** Sets the expiry of a chat's personal data, such as the bodies of its messages, when the chat ends. */
export const messageBodiesExpiryProjection: Projection = {
  name: 'bodies_expiry',
  // This projection owns no table. A rebuild can repeat it, because `expireStreamsAt` keeps the earlier expiry.
  tables: [],
  isRepeatable: true,
  handles: ['ChatEnded'],
  async apply(events, manager) {
    const expiries = events.map(({ streamId, occurredAt }) => ({
      streamId,
      expiresAt: new Date(occurredAt.getTime() + BODIES_KEPT_AFTER_END_MS),
    }));
    await PersonalDataRepository.expireStreamsAt(expiries, manager);
  },
};

/**
 * The read model of the Chat History screen: which users were in a chat together (docs/product-decisions.md, A63 and
 * A65).
 */
export const chatHistoryProjection: Projection = {
  name: 'chat_history',
  tables: ['chat_history'],
  handles: ['ChatStarted', 'ChatEnded'],
  async apply(events, manager) {
    const started = events.filter(({ type }) => type === 'ChatStarted') as StoredChatStarted[];
    const ended = events.filter(({ type }) => type === 'ChatEnded') as StoredChatEnded[];
    await insertChats(started, manager);
    await recordEnds(ended, manager);
    await deleteAbortedChats(ended, manager);
  },
};

const insertChats = async (started: readonly StoredChatStarted[], manager: EntityManager): Promise<void> => {
  if (started.length === 0) return;
  await manager.query(
    `INSERT INTO chat_history (id, stream_id, user1_id, user2_id, created_at)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::timestamptz[])`,
    [
      started.map(({ globalPosition }) => globalPosition),
      started.map(({ streamId }) => streamId),
      started.map(({ data }) => data.userIds[0]),
      started.map(({ data }) => data.userIds[1]),
      started.map(({ occurredAt }) => occurredAt),
    ],
  );
};

/** A chat ends twice if Redis loses an end that PostgreSQL has already stored. The later end counts. */
const recordEnds = async (ended: readonly StoredChatEnded[], manager: EntityManager): Promise<void> => {
  if (ended.length === 0) return;
  await manager.query(
    `UPDATE chat_history SET ended_at = last_ends.occurred_at
     FROM (SELECT stream_id, max(occurred_at) AS occurred_at
           FROM unnest($1::text[], $2::timestamptz[]) AS ends(stream_id, occurred_at)
           GROUP BY stream_id) AS last_ends
     WHERE chat_history.stream_id = last_ends.stream_id`,
    [ended.map(({ streamId }) => streamId), ended.map(({ occurredAt }) => occurredAt)],
  );
};

/** The match of an aborted chat was cancelled before a user saw it, so its row and its personal data are deleted. */
const deleteAbortedChats = async (
  ended: readonly StoredChatEnded[],
  manager: EntityManager,
): Promise<void> => {
  const streamIds = ended.filter(({ data }) => data.reason === 'aborted').map(({ streamId }) => streamId);
  if (streamIds.length === 0) return;
  await manager.query('DELETE FROM chat_history WHERE stream_id = ANY($1)', [streamIds]);
  await manager.query('DELETE FROM event_private WHERE stream_id = ANY($1)', [streamIds]);
};
