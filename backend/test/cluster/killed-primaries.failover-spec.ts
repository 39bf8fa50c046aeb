/**
 * Runs three api processes behind nginx and a worker, with their own PostgreSQL and a Redis Cluster of three primaries
 * and three replicas, all as local processes. Users send messages for a minute. changing-cluster.cluster-spec.ts has
 * more users, and also moves slots.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisCluster } from '../../../deploy/local/stores/redis-cluster.mjs';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import { ChatUser, type ChatUserPair } from '../../src/testing/chat-user.driver';
import { untilWithin } from '../../src/testing/until.functions';
import { chatKeys, findShard, matchingKeys } from '../../src/platform/redis/redis.keys';
import {
  RECOVERED_WITHIN_MS,
  REPLICA_COUNT,
  startStackOn,
  talkThrough,
  waitForMessages,
} from './talking-pairs.driver';

const PAIR_COUNT = 8;
const KILL_EVERY_MS = 20_000;
const TALK_MS = 3 * KILL_EVERY_MS;
/** A small load, because the test runs at the same time as checks that need the processor. */
const SEND_EVERY_MS = 500;

jest.setTimeout(150_000);

let cluster: RedisCluster;
let stack: Stack;

beforeAll(async () => {
  const { startRedisCluster } = await import('../../../deploy/local/stores/redis-cluster.mjs');
  cluster = await startRedisCluster();
  stack = await startStackOn({ REDIS_URL: cluster.url });
});

afterAll(async () => {
  try {
    await stack?.stop();
  } finally {
    await cluster?.stop();
  }
});

/** The key of the outbox that serves the chat of the first pair. */
const findOutboxKey = ([firstPair]: readonly ChatUserPair[]): string =>
  chatKeys(findShard(firstPair![0].sessionId!)).outbox;

/**
 * Kills the primary of a key, waits until a replica has taken its place and all users can send, and starts the killed
 * node again, which becomes a replica.
 */
const replacePrimary = async (key: string, pairs: readonly ChatUserPair[]): Promise<void> => {
  const primary = await cluster.findPrimary(key);
  await primary.kill();
  await untilWithin(RECOVERED_WITHIN_MS, async () => (await cluster.findPrimary(key)) !== primary);
  await waitForMessages(pairs.flat());
  await primary.start();
  await cluster.waitUntilConverged();
};

/** Expects that two new users are matched. */
const expectMatch = async (): Promise<void> => {
  const users = [await new ChatUser(stack.url).join('female'), await new ChatUser(stack.url).join('male')];
  for (const user of users) await user.search();
  expect(await users[0]?.waitForMatch()).toBe(users[1]?.id);
  for (const user of users) await user.leave();
};

const sleepUntil = (time: number): Promise<void> => sleep(Math.max(0, time - Date.now()));

const killThreePrimaries = async (pairs: readonly ChatUserPair[]): Promise<void> => {
  const startedAt = Date.now();
  const outboxKey = findOutboxKey(pairs);
  await replacePrimary(outboxKey, pairs);
  await sleepUntil(startedAt + KILL_EVERY_MS);
  // The same key: this kills the node that has replaced the first primary.
  await replacePrimary(outboxKey, pairs);
  await sleepUntil(startedAt + 2 * KILL_EVERY_MS);
  await replacePrimary(matchingKeys.replicas, pairs);
  // The keys for matching have a new primary now.
  await expectMatch();
  await sleepUntil(startedAt + TALK_MS);
};

it('keeps acknowledged messages once and in order while primaries are killed, and lets users send again in 15 s', async () => {
  const result = await talkThrough(stack, PAIR_COUNT, killThreePrimaries, { sendEveryMs: SEND_EVERY_MS });
  expect(result.faults).toEqual([]);
  expect(result.longestSilenceMs).toBeLessThan(RECOVERED_WITHIN_MS);
  expect(result.minReadyReplicas).toBe(REPLICA_COUNT); // the api replicas stay ready
  // Redis has denied no command for a missing permission (ACL).
  expect(await cluster.listDeniedCommands()).toEqual([]);
});
