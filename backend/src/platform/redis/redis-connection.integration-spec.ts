// Uses a real Redis.
import type { Redis } from 'ioredis';
import { COMMAND_TIMEOUT_MS, connectRedis, waitForFirstConnectionAttempt } from './redis-connection.factory';

/** The methods of a stream that write to the socket: one chunk, or several chunks in one system call. */
interface WritableInternals {
  _write(...parameters: unknown[]): void;
  _writev(chunks: readonly unknown[], callback: () => void): void;
}

/** The argument of each command of a batch, which is also its reply. */
const texts = Array.from({ length: 50 }, (_, index) => String(index));

let redis: Redis;

beforeEach(async () => {
  const client = connectRedis({ REDIS_URL: process.env.REDIS_URL! });
  await waitForFirstConnectionAttempt(client);
  redis = client as unknown as Redis; // `RedisClient` hides the socket (`stream`) and events
});

afterEach(() => redis.disconnect());

const spyOnWrites = () => {
  const stream = redis.stream as unknown as WritableInternals;
  return { single: jest.spyOn(stream, '_write'), batch: jest.spyOn(stream, '_writev') };
};

const sendBatch = (): Promise<string[]> => Promise.all(texts.map((text) => redis.echo(text)));

it('writes the commands of one event-loop iteration to Redis in one system call', async () => {
  const { single, batch } = spyOnWrites();
  expect(await sendBatch()).toEqual(texts);
  expect(batch).toHaveBeenCalledTimes(1);
  expect(batch.mock.calls[0]?.[0]).toHaveLength(texts.length);
  expect(single).not.toHaveBeenCalled();
});

it('writes the commands of one event-loop iteration to Redis in one system call after a reconnect', async () => {
  const { stream } = redis;
  stream.destroy();
  await new Promise((resolve) => redis.once('ready', resolve));
  expect(redis.stream).not.toBe(stream);
  const { batch } = spyOnWrites();
  await sendBatch();
  expect(batch).toHaveBeenCalledTimes(1);
});

/** Blocks the event loop, as a long garbage collection does. */
const blockEventLoop = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

it('accepts a response that arrived in time while the process was blocked for longer than the time-out', async () => {
  const response = redis.echo('response');
  // The connection writes the command in a callback of `setImmediate`, which runs before this one.
  await new Promise(setImmediate);
  blockEventLoop(COMMAND_TIMEOUT_MS + 100);
  await expect(response).resolves.toBe('response');
});

it('completes a command created just before the process was blocked for longer than the time-out', async () => {
  const response = redis.echo('response');
  blockEventLoop(COMMAND_TIMEOUT_MS + 100);
  await expect(response).resolves.toBe('response');
});

it('rejects a command without a response after the time-out', async () => {
  const startedAt = performance.now();
  const neverEndingCommand = redis.blpop('no-such-list', 0); // 0: waits for an element without limit
  await expect(neverEndingCommand).rejects.toThrow('Command timed out');
  expect(performance.now() - startedAt).toBeGreaterThan(COMMAND_TIMEOUT_MS - 10); // timers may be early
});
