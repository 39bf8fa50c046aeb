/**
 * Runs three api processes behind nginx and a worker, with their own PostgreSQL and a Redis Cluster of three primaries
 * and three replicas, all as local processes. They use Redis with the permissions that the compose files give them.
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
import { RECOVERED_WITHIN_MS, REPLICA_COUNT, startStackOn, talkThrough } from './talking-pairs.driver';

const PAIR_COUNT = 20;
/** Number of hash slots of every Redis Cluster. */
const SLOT_COUNT = 16_384;

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

/** Returns the numbers from 0 to `count - 1`. */
const listNumbersBelow = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/**
 * Returns the slots in which the product has keys or channels. Also returns the slot after each of them, most of which
 * are empty, so that the tests move empty slots too.
 */
const listSlotsToMove = async (): Promise<number[]> => {
  const keys = [
    leaseKeys.live,
    jobsPrefix, // a hash tag: all keys with this prefix are in its slot
    ...listNumbersBelow(SHARD_COUNT).map((shard) => chatKeys(shard).outbox),
    ...listNumbersBelow(PRESENCE_SHARD_COUNT).map((shard) => presenceKeys(shard).online),
    ...listNumbersBelow(SHARD_GROUP_COUNT).map(shardGroupLockKey),
    ...listNumbersBelow(2 * PAIR_COUNT).map((index) => userChannel(index + 1)), // user ids begin with 1
  ];
  const slots = await Promise.all(keys.map((key) => cluster.findSlot(key)));
  return [...new Set(slots.flatMap((slot) => [slot, (slot + 1) % SLOT_COUNT]))];
};

/** Makes the change while users chat. Expects no lost message, a short silence, and replicas that stay ready. */
const expectNothingLost = async (change: () => Promise<void>): Promise<void> => {
  const { faults, longestSilenceMs, minReadyReplicas } = await talkThrough(stack, PAIR_COUNT, change);
  expect(faults).toEqual([]);
  expect(longestSilenceMs).toBeLessThan(RECOVERED_WITHIN_MS);
  expect(minReadyReplicas).toBe(REPLICA_COUNT);
  // The product's permissions in Redis suffice.
  expect(await cluster.listDeniedCommands()).toEqual([]);
};

it.each([
  { served: 'matching and leases', key: leaseKeys.live },
  { served: 'a shard of the chats', key: chatKeys(7).outbox }, // any shard
])(
  'keeps acknowledged messages in order when the primary of $served is killed, and lets users send again within 15 s',
  async ({ key }) => {
    const primary = await cluster.findPrimary(key);
    await expectNothingLost(() => primary.kill());
    await primary.start();
    await cluster.waitUntilConverged();
  },
);

it('keeps every acknowledged message once and in order while the slots of all keys of Thaw are moved', async () => {
  const slots = await listSlotsToMove();
  const primaries = await cluster.listPrimaries();
  await expectNothingLost(async () => {
    for (const [index, primary] of primaries.entries()) {
      const shareOfPrimary = slots.filter((slot) => slot % primaries.length === index);
      await cluster.moveSlots(shareOfPrimary, primary);
    }
  });
});

it('keeps every acknowledged message once and in order while an added primary takes over a third of the slots in use', async () => {
  const slots = await listSlotsToMove();
  await expectNothingLost(async () => {
    const addedPrimary = await cluster.addPrimary();
    const everyThirdSlot = slots.filter((_, index) => index % 3 === 0);
    await cluster.moveSlots(everyThirdSlot, addedPrimary);
  });
});
