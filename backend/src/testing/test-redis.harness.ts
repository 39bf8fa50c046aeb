import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

/** Redis has databases 0 to 15 by default; 0 records which test file holds which of the others. */
const DATABASES = 15;
/** How long a database stays taken after its test file was last seen running. */
const HOLD_MS = 60_000;

export interface TestRedis {
  /** REDIS_URL of a separate database. Channels are not separate: Redis shares them between databases. */
  url: string;
  redis: Redis;
  /** The existing keys, sorted. */
  listKeys(pattern?: string): Promise<string[]>;
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
export const createTestRedis = async (): Promise<TestRedis> => {
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
