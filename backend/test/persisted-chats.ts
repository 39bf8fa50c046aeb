import type { Redis } from 'ioredis';
import { Client } from 'pg';
import { findShard, chatKeys } from '../src/platform/redis/redis.keys';
import { until } from '../src/testing/until.functions';

/**
 * Waits until PostgreSQL holds every event that these chats have now, and expects each once and in the order of Redis.
 * The chats may continue meanwhile.
 */
export const expectPersisted = async (
  sessionIds: readonly string[],
  { redis, databaseUrl }: { redis: Redis; databaseUrl: string },
): Promise<void> => {
  const readAppendedIds = async (sessionId: string): Promise<string[]> => {
    const entries = await redis.xrange(chatKeys(findShard(sessionId)).stream(sessionId), '-', '+');
    return entries.map(([, fields]) => (JSON.parse(fields[1] ?? '') as { i: string }).i);
  };
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const sessionId of sessionIds) {
      const expected = await readAppendedIds(sessionId);
      expect(expected.length).toBeGreaterThan(0);
      const readStoredIds = async (): Promise<string[]> => {
        const { rows } = await client.query<{ event_id: string }>(
          'SELECT event_id FROM events WHERE stream_id = $1 ORDER BY stream_position',
          [`chat-${sessionId}`],
        );
        return rows.map(({ event_id: id }) => id);
      };
      const persisted = await until(readStoredIds, (ids) => ids.length >= expected.length, 30_000);
      expect(persisted).toEqual((await readAppendedIds(sessionId)).slice(0, persisted.length));
    }
  } finally {
    await client.end();
  }
};
