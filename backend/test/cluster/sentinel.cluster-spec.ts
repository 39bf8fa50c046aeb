/**
 * Runs three api processes behind nginx and a worker, with their own PostgreSQL and a Redis with one replica, which
 * three Sentinels watch, all as local processes. They use Redis with the rights that compose gives to them.
 */
import type { RedisSentinel } from '../../../deploy/local/stores/redis-sentinel.mjs';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import { BACK_WITHIN_MS, REPLICAS, startStackOn, talkThrough } from './talking-pairs.driver';

const PAIRS = 20;

jest.setTimeout(180_000);

let redis: RedisSentinel;
let stack: Stack;

beforeAll(async () => {
  const { startRedisSentinel } = await import('../../../deploy/local/stores/redis-sentinel.mjs');
  redis = await startRedisSentinel();
  stack = await startStackOn({ REDIS_URL: redis.url, REDIS_SENTINEL_PASSWORD: redis.sentinelPassword });
});

afterAll(async () => {
  await stack?.stop();
  await redis?.stop();
});

it('keeps acknowledged messages and their order while Sentinel replaces a primary; users are back in 15 s', async () => {
  const primary = await redis.findPrimary();
  const { faults, longestSilenceMs, leastReady } = await talkThrough(stack, PAIRS, () => primary.kill());
  expect(faults).toEqual([]);
  expect(longestSilenceMs).toBeLessThan(BACK_WITHIN_MS);
  expect(leastReady).toBe(REPLICAS);
  expect(await redis.findPrimary()).not.toBe(primary);
  expect(await redis.listDeniedCommands()).toEqual([]);
});
