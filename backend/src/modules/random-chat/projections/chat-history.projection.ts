import type { EntityManager } from 'typeorm';
import { PersonalDataRepository } from '../../../platform/event-store/personal-data.repository';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { ChatEnded, ChatStarted } from '../domain/random-chat.events';

const DAY_MS = 24 * 60 * 60_000;
/** Message bodies are erased a day after the end of the chat (A62). */
const BODIES_KEPT_AFTER_END_MS = DAY_MS;

/** Sets the expiry of a chat's personal data when the chat ends. */
export const bodiesExpiryProjection: Projection = {
  name: 'bodies_expiry',
  // Owns no table: it only brings forward the expiry of rows in `event_private`.
  tables: [],
  isRepeatable: true,
  handles: ['ChatEnded'],
  async apply(events, manager) {
    const expiryTimes = events.map(
      ({ occurredAt }) => new Date(occurredAt.getTime() + BODIES_KEPT_AFTER_END_MS),
    );
    await PersonalDataRepository.expireStreamsAt(
      events.map(({ streamId }) => streamId),
      expiryTimes,
      manager,
    );
  },
};

/** The read model of the Chat History screen: which users were in a chat together (A63, A65). */
export const chatHistoryProjection: Projection = {
  name: 'chat_history',
  tables: ['chat_history'],
  handles: ['ChatStarted', 'ChatEnded'],
  async apply(events, manager) {
    await insertStarted(
      events.filter(({ type }) => type === 'ChatStarted') as StoredEvent<
        'ChatStarted',
        ChatStarted['data']
      >[],
      manager,
    );
    const ended = events.filter(({ type }) => type === 'ChatEnded') as StoredEvent<
      'ChatEnded',
      ChatEnded['data']
    >[];
    await recordEnds(ended, manager);
    await removeAborted(ended, manager);
  },
};

const insertStarted = async (
  started: readonly StoredEvent<'ChatStarted', ChatStarted['data']>[],
  manager: EntityManager,
): Promise<void> => {
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

/** A chat can have a second end after Redis lost the first one; the last one counts. */
const recordEnds = async (
  ended: readonly StoredEvent<'ChatEnded', ChatEnded['data']>[],
  manager: EntityManager,
): Promise<void> => {
  if (ended.length === 0) return;
  await manager.query(
    `UPDATE chat_history SET ended_at = ends.at
     FROM (SELECT stream_id, max(at) AS at FROM unnest($1::text[], $2::timestamptz[]) AS ended(stream_id, at)
           GROUP BY stream_id) AS ends
     WHERE chat_history.stream_id = ends.stream_id`,
    [ended.map(({ streamId }) => streamId), ended.map(({ occurredAt }) => occurredAt)],
  );
};

/** An aborted chat was never shown to a user, so it is not listed and its names are deleted. */
const removeAborted = async (
  ended: readonly StoredEvent<'ChatEnded', ChatEnded['data']>[],
  manager: EntityManager,
): Promise<void> => {
  const aborted = ended.filter(({ data }) => data.reason === 'aborted').map(({ streamId }) => streamId);
  if (aborted.length === 0) return;
  await manager.query('DELETE FROM chat_history WHERE stream_id = ANY($1)', [aborted]);
  await manager.query('DELETE FROM event_private WHERE stream_id = ANY($1)', [aborted]);
};
