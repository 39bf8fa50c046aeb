import { Redis } from 'ioredis';
import {
  connectRedis,
  createSubscriberRoutes,
  type RedisClient,
  waitForFirstConnectionAttempt,
} from '../platform/redis/redis-connection.factory';
import { listPrimaries, scanKeys } from '../platform/redis/redis-nodes.functions';
import { watchScriptKeys } from './script-keys.probe';

/**
 * Redis has the databases 0 to 15 by default. Each test file reserves one of the databases 1 to 15, with a key in
 * database 0.
 */
const LAST_DATABASE = 15;
/** A reservation expires unless its test file renews it, so that the database of a killed run becomes free again. */
const RESERVATION_MS = 60_000;
const RENEW_EVERY_MS = RESERVATION_MS / 3;

export interface TestRedis {
  /**
   * The REDIS_URL of a separate database. Channels are not separate, since Redis shares them between databases. A
   * cluster has a single database, so a test file uses all of it.
   */
  url: string;
  redis: Redis;
  /** The existing keys, sorted. @param pattern a glob pattern of Redis */
  listKeys(pattern?: string): Promise<string[]>;
  /** The number of connections that are subscribed to a sharded channel. */
  countSubscribers(channel: string): Promise<number>;
  flush(): Promise<void>;
  /** @throws Error when a script accessed keys of another slot than that of its declared keys (with a cluster only). */
  close(): Promise<void>;
}

const requireUrl = (): string => {
  const url = process.env.REDIS_URL;
  if (!url) throw new Error('Integration tests need DATABASE_URL and REDIS_URL: npm run test:integration');
  return url;
};

const buildReservationKey = (database: number): string => `test-database:${database}`;

/** @param reservations connection to database 0. @throws Error when other test files have reserved every database */
const reserveDatabase = async (reservations: Redis): Promise<number> => {
  for (let database = 1; database <= LAST_DATABASE; database += 1) {
    const key = buildReservationKey(database);
    if (await reservations.set(key, 'reserved', 'PX', RESERVATION_MS, 'NX')) return database;
  }
  throw new Error('Every database of the test Redis is reserved');
};

/** Provides an empty database of a real Redis, or an empty cluster, for this test file alone. */
export const createTestRedis = (): Promise<TestRedis> => {
  const url = requireUrl();
  return isCluster(url) ? openCluster(url) : openDatabase(url);
};

/** @param url a REDIS_URL, whose scheme names the kind of server. */
const isCluster = (url: string): boolean => /^rediss?\+cluster:/.test(url);

const openDatabase = async (serverUrl: string): Promise<TestRedis> => {
  const reservations = new Redis(serverUrl);
  const database = await reserveDatabase(reservations);
  const reservationKey = buildReservationKey(database);
  const renewal = setInterval(
    () => void reservations.pexpire(reservationKey, RESERVATION_MS),
    RENEW_EVERY_MS,
  );
  const address = new URL(serverUrl);
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
      await reservations.del(reservationKey);
      redis.disconnect();
      reservations.disconnect();
    },
  };
};

const countSubscribers = async (redis: RedisClient, channel: string): Promise<number> => {
  const counts = await Promise.all(
    listPrimaries(redis).map(async (primary) => {
      // The reply is the channel and its count.
      const [, count] = (await primary.pubsub('SHARDNUMSUB', channel)) as [string, number];
      return Number(count);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Provides the whole cluster, emptied, so test files must run one after the other. */
const openCluster = async (url: string): Promise<TestRedis> => {
  const redis = connectRedis({ REDIS_URL: url }, { enableOfflineQueue: true, commandTimeout: 5_000 });
  await waitForFirstConnectionAttempt(redis);
  const flush = async () => {
    await Promise.all(listPrimaries(redis).map((primary) => primary.flushall()));
  };
  await flush();
  const scriptKeys = await watchScriptKeys(redis);
  return {
    url,
    // Safe: tests send only commands that both clients have, no pipelines or transactions.
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
      await flush().catch(() => undefined); // a test may have stopped a primary; the next file flushes again
      redis.disconnect();
      if (violations.length > 0)
        throw new Error(`Scripts accessed keys of other slots: ${violations.join(', ')}`);
    },
  };
};

/**
 * Subscribes to sharded channels, which may belong to several servers of a cluster. Resolves once Redis has confirmed.
 * @param redis a connection to the same Redis, which finds the server of each channel.
 * @returns `waitUntilReceived` resolves once every message that was published before the call has been received.
 */
export const subscribeToChannels = async (
  url: string,
  redis: RedisClient,
  channels: readonly string[],
  onMessage: (channel: string, message: string) => void,
): Promise<{ waitUntilReceived(): Promise<void>; close(): void }> => {
  const routes = createSubscriberRoutes({ REDIS_URL: url }, redis);
  const connections = new Map<string, Redis>();
  for (const channel of channels) {
    const server = routes.findServer(channel)!; // after the first connection, each channel has a server
    let connection = connections.get(server);
    if (!connection) {
      connection = routes.openConnection(server);
      connection.on('smessage', onMessage);
      connections.set(server, connection);
    }
    await connection.ssubscribe(channel);
  }
  const allConnections = [...connections.values()];
  return {
    async waitUntilReceived() {
      // On each connection, the answer to a PING arrives after the earlier messages.
      await Promise.all(allConnections.map((connection) => connection.ping()));
    },
    close: () => allConnections.forEach((connection) => connection.disconnect()),
  };
};
