import type { Redis } from 'ioredis';
import { Client } from 'pg';
import { findShard, chatKeys } from '../src/platform/redis/redis.keys';
import { until } from '../src/testing/until.functions';

const PERSISTED_WITHIN_MS = 30_000;

/**
 * Waits until PostgreSQL has every event that these chats have in Redis now. Expects each event once, in the order of
 * Redis. Users may continue to chat during the check.
 */
export const expectPersisted = async (
  sessionIds: readonly string[],
  { redis, databaseUrl }: { redis: Redis; databaseUrl: string },
): Promise<void> => {
  const readAppendedIds = async (sessionId: string): Promise<string[]> => {
    const entries = await redis.xrange(chatKeys(findShard(sessionId)).stream(sessionId), '-', '+');
    // An entry has one field, the event as JSON; `i` is the id of the event.
    return entries.map(([, fields]) => (JSON.parse(fields[1] ?? '') as { i: string }).i);
  };
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const sessionId of sessionIds) {
      const { length: appendedCount } = await readAppendedIds(sessionId);
      expect(appendedCount).toBeGreaterThan(0);
      const readPersistedIds = async (): Promise<string[]> => {
        const { rows } = await client.query<{ event_id: string }>(
          'SELECT event_id FROM events WHERE stream_id = $1 ORDER BY stream_position',
          [`chat-${sessionId}`],
        );
        return rows.map(({ event_id: id }) => id);
      };
      const hasAllAppended = (ids: string[]): boolean => ids.length >= appendedCount;
      const persistedIds = await until(readPersistedIds, hasAllAppended, PERSISTED_WITHIN_MS);
      // PostgreSQL may have further events by now, so Redis is read again.
      expect(persistedIds).toEqual((await readAppendedIds(sessionId)).slice(0, persistedIds.length));
    }
  } finally {
    await client.end();
  }
};
