/**
 * Runs three api processes behind nginx and a worker, with their own PostgreSQL and a Redis Cluster of three primaries and
 * three replicas, all as local processes.
 */
import { Client } from 'pg';
import type { RedisCluster } from '../../../deploy/local/stores/redis-cluster.mjs';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import {
  type ChatUserPair,
  createMatchedPairs,
  findFaults,
  startSending,
} from '../../src/testing/chat-user.driver';
import { until } from '../../src/testing/until.functions';

const PAIRS = 20;
const SEND_EVERY_MS = 250;
/** Acknowledged messages of each user before the failure, and again after it. */
const MESSAGES_EACH = 5;
const BACK_WITHIN_MS = 15_000;
const PERSISTED_WITHIN_MS = 20_000;

jest.setTimeout(180_000);

let cluster: RedisCluster;
let stack: Stack;

beforeAll(async () => {
  const { startRedisCluster } = await import('../../../deploy/local/stores/redis-cluster.mjs');
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  cluster = await startRedisCluster();
  stack = await startStack({
    replicas: 3,
    workers: 1,
    shouldRestart: false,
    env: { DATABASE_URL: '', REDIS_URL: cluster.url, LIMITS_PROFILE: 'load', LOG_LEVEL: 'warn' },
  });
});

afterAll(async () => {
  await stack?.stop();
  await cluster?.stop();
});

const waitForMessages = async (pairs: readonly ChatUserPair[], withinMs: number): Promise<void> => {
  const users = pairs.flat();
  const before = new Map(users.map((user) => [user, user.acked.size]));
  await until(
    () => users.filter((user) => user.acked.size < (before.get(user) ?? 0) + MESSAGES_EACH).length,
    (count) => count === 0,
    withinMs,
  );
};

const countPersistedMessages = async (sessionId: string): Promise<number> => {
  const client = new Client({ connectionString: stack.stores.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM events WHERE stream_id = $1 AND type = 'MessageSent'`,
      [`chat-${sessionId}`],
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
};

it.each([
  { served: 'matching and leases', key: '{matching}:leases' },
  { served: 'a shard of the chats', key: '{shard7}:outbox' },
])(
  'keeps every acknowledged message once and in order while the primary of $served is killed, and all users are back within 15 s',
  async ({ key }) => {
    const pairs = await createMatchedPairs(stack.url, PAIRS);
    const stopSending = startSending(pairs, { everyMs: SEND_EVERY_MS });
    await waitForMessages(pairs, BACK_WITHIN_MS);

    const primary = await cluster.findPrimary(key);
    await primary.kill();
    await waitForMessages(pairs, BACK_WITHIN_MS);
    await stopSending();

    await until(() => pairs.every(([first, second]) => first.seq === second.seq));
    expect(pairs.flatMap(findFaults)).toEqual([]);
    for (const [user] of pairs) {
      await until(
        () => countPersistedMessages(user.sessionId ?? ''),
        (count) => count === user.history.size,
        PERSISTED_WITHIN_MS,
      );
    }
    for (const user of pairs.flat()) await user.leave();
    await primary.start();
    await cluster.waitUntilWhole();
  },
);
