/**
 * Runs three api processes behind nginx and a worker, with their own PostgreSQL and a Redis Cluster of three primaries
 * and three replicas, all as local processes. They use Redis with the rights that compose gives to them.
 */
import type { RedisCluster } from '../../../deploy/local/stores/redis-cluster.mjs';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import {
  chatKeys,
  jobsPrefix,
  leaseKeys,
  presenceKeys,
  PRESENCE_SHARD_COUNT,
  SHARD_COUNT,
  SHARD_GROUP_COUNT,
  shardGroupLockKey,
  userChannel,
} from '../../src/platform/redis/redis.keys';
import { BACK_WITHIN_MS, REPLICAS, startStackOn, talkThrough } from './talking-pairs.driver';

const PAIRS = 20;

jest.setTimeout(180_000);

let cluster: RedisCluster;
let stack: Stack;

beforeAll(async () => {
  const { startRedisCluster } = await import('../../../deploy/local/stores/redis-cluster.mjs');
  cluster = await startRedisCluster();
  stack = await startStackOn({ REDIS_URL: cluster.url });
});

afterAll(async () => {
  await stack?.stop();
  await cluster?.stop();
});

const listNumbersUpTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The slots in which the product has keys or channels, those of users included, and others beside them. */
const listSlotsInUse = async (): Promise<number[]> => {
  const keys = [
    leaseKeys.live,
    jobsPrefix,
    ...listNumbersUpTo(SHARD_COUNT).map((shard) => chatKeys(shard).outbox),
    ...listNumbersUpTo(PRESENCE_SHARD_COUNT).map((shard) => presenceKeys(shard).online),
    ...listNumbersUpTo(SHARD_GROUP_COUNT).map(shardGroupLockKey),
    ...listNumbersUpTo(2 * PAIRS).map((id) => userChannel(id + 1)),
  ];
  const slots = await Promise.all(keys.map((key) => cluster.findSlot(key)));
  return [...new Set(slots.flatMap((slot) => [slot, (slot + 1) % 16_384]))];
};

const expectNothingLost = async (change: () => Promise<void>): Promise<void> => {
  const { faults, longestSilenceMs, leastReady } = await talkThrough(stack, PAIRS, change);
  expect(faults).toEqual([]);
  expect(longestSilenceMs).toBeLessThan(BACK_WITHIN_MS);
  expect(leastReady).toBe(REPLICAS);
  expect(await cluster.listDeniedCommands()).toEqual([]);
};

it.each([
  { served: 'matching and leases', key: leaseKeys.live },
  { served: 'a shard of the chats', key: chatKeys(7).outbox },
])(
  'keeps acknowledged messages and their order when the primary of $served is killed; users are back in 15 s',
  async ({ key }) => {
    const primary = await cluster.findPrimary(key);
    await expectNothingLost(() => primary.kill());
    await primary.start();
    await cluster.waitUntilConverged();
  },
);

it('keeps every acknowledged message once and in order while the slots of all its keys are moved', async () => {
  const slots = await listSlotsInUse();
  const primaries = await cluster.listPrimaries();
  await expectNothingLost(async () => {
    for (const [index, primary] of primaries.entries())
      await cluster.moveSlots(
        slots.filter((slot) => slot % primaries.length === index),
        primary,
      );
  });
});

it('keeps every acknowledged message once and in order while an added node takes over a third of the slots', async () => {
  const slots = await listSlotsInUse();
  await expectNothingLost(async () => {
    const added = await cluster.addPrimary();
    await cluster.moveSlots(
      slots.filter((_, index) => index % 3 === 0),
      added,
    );
  });
});
