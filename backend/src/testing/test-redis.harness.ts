import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  connectRedis,
  createSubscriberRoutes,
  type RedisClient,
  waitForFirstAttempt,
} from '../platform/redis/redis-connection.factory';
import { listPrimaries, scanKeys } from '../platform/redis/redis-nodes.functions';
import { watchScriptKeys } from './script-keys.probe';

/** Redis has databases 0 to 15 by default; 0 records which test file holds which of the others. */
const DATABASES = 15;
/** How long a database stays taken after its test file was last seen running. */
const HOLD_MS = 60_000;

export interface TestRedis {
  /**
   * REDIS_URL of a separate database. Channels are not separate: Redis shares them between databases. A cluster has one
   * database only, so with a cluster each file gets all of it, one file at a time.
   */
  url: string;
  redis: Redis;
  /** The existing keys, sorted. */
  listKeys(pattern?: string): Promise<string[]>;
  /** The number of connections that are subscribed to a channel. */
  countSubscribers(channel: string): Promise<number>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const requireUrl = (): string => {
  const url = process.env.REDIS_URL;
  if (!url) throw new Error('Integration tests need DATABASE_URL and REDIS_URL: npm run test:integration');
  return url;
};

const buildHolderKey = (database: number): string => `test-database:${database}`;

/** Takes a free database for this test file. The database of a killed run becomes free after a minute. */
const takeDatabase = async (directory: Redis, token: string): Promise<number> => {
  for (let database = 1; database <= DATABASES; database += 1) {
    if (await directory.set(buildHolderKey(database), token, 'PX', HOLD_MS, 'NX')) return database;
  }
  throw new Error('Every database of the test Redis is taken');
};

/** An empty database of a real Redis, for this test file alone. */
export const createTestRedis = (): Promise<TestRedis> =>
  isCluster(requireUrl()) ? takeCluster(requireUrl()) : createDatabase();

const isCluster = (url: string): boolean => /^rediss?\+cluster:/.test(url);

const createDatabase = async (): Promise<TestRedis> => {
  const directory = new Redis(requireUrl());
  const database = await takeDatabase(directory, randomUUID());
  const renewal = setInterval(() => void directory.pexpire(buildHolderKey(database), HOLD_MS), HOLD_MS / 3);
  const address = new URL(requireUrl());
  address.pathname = `/${database}`;
  const redis = new Redis(address.toString());
  await redis.flushdb();
  return {
    url: address.toString(),
    redis,
    listKeys: async (pattern = '*') => (await redis.keys(pattern)).sort(),
    countSubscribers: (channel) => countSubscribers(redis, channel),
    async flush() {
      await redis.flushdb();
    },
    async close() {
      clearInterval(renewal);
      await redis.flushdb();
      await directory.del(buildHolderKey(database));
      redis.disconnect();
      directory.disconnect();
    },
  };
};

const countSubscribers = async (redis: RedisClient, channel: string): Promise<number> => {
  const counts = await Promise.all(
    listPrimaries(redis).map(async (primary) => {
      const [, count] = (await primary.pubsub('SHARDNUMSUB', channel)) as [string, number];
      return Number(count);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/** The cluster, flushed on every primary. Test files must not run at the same time. */
const takeCluster = async (url: string): Promise<TestRedis> => {
  const redis = connectRedis({ REDIS_URL: url }, { enableOfflineQueue: true, commandTimeout: 5_000 });
  await waitForFirstAttempt(redis);
  const flush = async () => {
    await Promise.all(listPrimaries(redis).map((primary) => primary.flushall()));
  };
  await flush();
  const scriptKeys = await watchScriptKeys(redis);
  return {
    url,
    // Tests send it single commands only, which a cluster has, too.
    redis: redis as unknown as Redis,
    async listKeys(pattern = '*') {
      const keys: string[] = [];
      for await (const page of scanKeys(redis, pattern, 1_000)) keys.push(...page);
      return [...new Set(keys)].sort();
    },
    countSubscribers: (channel) => countSubscribers(redis, channel),
    flush,
    async close() {
      const violations = scriptKeys.stop();
      await flush().catch(() => undefined); // a primary may be away; the next file flushes all of them first
      redis.disconnect();
      if (violations.length > 0)
        throw new Error(`Scripts accessed keys of other slots: ${violations.join(', ')}`);
    },
  };
};

/**
 * Subscribes to channels, which may belong to several servers of a cluster. Resolves once Redis has confirmed.
 * @returns `settle` resolves once everything has been received that was published before the call.
 */
export const subscribeToChannels = async (
  url: string,
  redis: RedisClient,
  channels: readonly string[],
  onMessage: (channel: string, message: string) => void,
): Promise<{ settle(): Promise<void>; close(): void }> => {
  const routes = createSubscriberRoutes({ REDIS_URL: url }, redis);
  const connections = new Map<string, Redis>();
  for (const channel of channels) {
    const server = routes.findServer(channel) ?? '';
    const connection = connections.get(server) ?? routes.open(server);
    if (!connections.has(server)) connection.on('smessage', onMessage);
    connections.set(server, connection);
    await connection.ssubscribe(channel);
  }
  const all = [...connections.values()];
  return {
    // Redis answers in order.
    settle: async () => void (await Promise.all(all.map((connection) => connection.ping()))),
    close: () => all.forEach((connection) => connection.disconnect()),
  };
};
