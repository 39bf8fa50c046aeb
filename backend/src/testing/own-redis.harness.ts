import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from './free-port.functions';
import { until } from './until.functions';

const RECONNECT_DELAY_MS = 50;
const MEBIBYTE = 1024 * 1024;

export interface OwnRedis {
  url: string;
  redis: Redis;
  close(): Promise<void>;
}

/** The path of the program that runs the Redis server which all tests share. */
const findRedisBinary = async (): Promise<string> => {
  const shared = new Redis(process.env.REDIS_URL ?? '');
  try {
    const info = await shared.info('server');
    const reportedPath = /^executable:(.+?)\r?$/m.exec(info)?.[1];
    return reportedPath ?? 'redis-server';
  } finally {
    shared.disconnect();
  }
};

/** A separate Redis server, for tests that affect a whole server, such as filling its memory. */
export const startOwnRedis = async (): Promise<OwnRedis> => {
  const [binary, port, folder] = await Promise.all([
    findRedisBinary(),
    findFreePort(),
    mkdtemp(join(tmpdir(), 'thaw-test-redis-')),
  ]);
  const addressOptions = ['--bind', '127.0.0.1', '--port', `${port}`];
  const dataOptions = ['--dir', folder, '--save', '', '--maxmemory-policy', 'noeviction'];
  const server = spawn(binary, [...addressOptions, ...dataOptions], { stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const url = `redis://127.0.0.1:${port}`;
  const redis = new Redis(url, { retryStrategy: () => RECONNECT_DELAY_MS, maxRetriesPerRequest: null });
  redis.on('error', () => undefined); // connections are refused until the server has started
  await until(() => redis.status === 'ready');
  return {
    url,
    redis,
    async close() {
      redis.disconnect();
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export const readUsedBytes = async (redis: Redis): Promise<number> =>
  Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);

/**
 * Fills the memory with a key `ballast` of 4 MiB, and sets the limit 1 MiB below the used memory. From here on, Redis
 * answers OOM to every command that may need memory. Deleting the key brings the used memory below the limit.
 */
export const fillRedis = async (redis: Redis): Promise<void> => {
  // SETRANGE sends one byte. SET would send 4 MiB, and the input buffer would add to the used memory for a while.
  await redis.setrange('ballast', 4 * MEBIBYTE, 'x');
  await redis.config('SET', 'maxmemory', `${(await readUsedBytes(redis)) - MEBIBYTE}`);
};
