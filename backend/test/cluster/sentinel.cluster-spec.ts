/**
 * Runs nginx, three api processes and a worker, with their own PostgreSQL and a Redis primary with one replica, which
 * three Sentinels watch, all as local processes. They use Redis with the permissions that the compose files give them.
 */
import type { RedisSentinel } from '../../../deploy/local/stores/redis-sentinel.mjs';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import { RECOVERED_WITHIN_MS, REPLICA_COUNT, startStackOn, talkThrough } from './talking-pairs.driver';

const PAIR_COUNT = 20;

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

it('keeps acknowledged messages in order while Sentinel replaces a primary; users can send again within 15 s', async () => {
  const primary = await redis.findPrimary();
  const { faults, longestSilenceMs, minReadyReplicas } = await talkThrough(stack, PAIR_COUNT, () =>
    primary.kill(),
  );
  expect(faults).toEqual([]);
  expect(longestSilenceMs).toBeLessThan(RECOVERED_WITHIN_MS);
  expect(minReadyReplicas).toBe(REPLICA_COUNT); // the api replicas stay ready
  expect(await redis.findPrimary()).not.toBe(primary);
  // The permissions that the compose files give suffice.
  expect(await redis.listDeniedCommands()).toEqual([]);
});
