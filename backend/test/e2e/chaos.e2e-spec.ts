/**
 * Runs three api processes behind nginx, a worker, and their own PostgreSQL and Redis. Processes are killed with
 * SIGKILL while users chat. The long form (THAW_TEST_LONG=1) has more users, more kills and more time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import {
  findFaults,
  startSending,
  ChatUser,
  type ChatUserPair,
  createMatchedPairs,
} from '../../src/testing/chat-user.driver';
import { leaseKeys, matchingKeys } from '../../src/platform/redis/redis.keys';
import { estimateCpuSlowdown } from '../../src/testing/processor-load.probe';
import { until, untilWithin } from '../../src/testing/until.functions';
import { expectPersisted } from '../persisted-chats';
import { restartPostgres } from '../postmaster';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const PAIR_COUNT = isLongRun ? 50 : 8;
const WORKER_KILL_COUNT = isLongRun ? 50 : 3;
const SEND_EVERY_MS = 150;
/** Longest allowed time from a lost socket to the resumed chat. */
const MAX_ABSENCE_MS = 10_000;

let stack: Stack;
let redis: Redis;

jest.setTimeout(isLongRun ? 20 * 60_000 : 120_000);

beforeAll(async () => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas: 3,
    workers: 1,
    // Empty addresses make the stack start its own PostgreSQL and Redis.
    env: { DATABASE_URL: '', REDIS_URL: '', REMATCH_COOLDOWN_S: '0', LOG_LEVEL: 'warn' },
  });
  redis = new Redis(stack.stores.redisUrl, { retryStrategy: () => 200, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
});

afterAll(async () => {
  redis?.disconnect();
  await stack?.stop();
});

/** Waits until each user has an authenticated socket again. `socket` is a promise, replaced after each loss. */
const waitUntilConnected = async (users: readonly ChatUser[]): Promise<void> => {
  for (const user of users) await user.socket;
};

/**
 * Waits until both users of each pair have seen the same last event, and expects that neither lacks a message or has
 * one twice. All messages must be acknowledged before, because an ack advances the `seq` of its sender.
 */
const settleAndExpectNoFaults = async (pairs: readonly ChatUserPair[]): Promise<void> => {
  await until(() => pairs.every(([first, second]) => first.seq === second.seq));
  expect(pairs.flatMap(findFaults)).toEqual([]);
};

/** Matches Ada, whose socket is on the first replica, with Bob, whose socket is on the second one. */
const matchAcrossReplicas = async (): Promise<{ ada: ChatUser; bob: ChatUser }> => {
  const [firstOrigin = '', secondOrigin = ''] = stack.replicas.map(({ port }) => `http://127.0.0.1:${port}`);
  const ada = await new ChatUser(firstOrigin).join('female');
  const bob = await new ChatUser(secondOrigin).join('male');
  for (const user of [ada, bob]) await user.search();
  for (const user of [ada, bob]) await user.waitForMatch();
  return { ada, bob };
};

const leaveAll = async (pairs: readonly ChatUserPair[]): Promise<void> => {
  await Promise.all(pairs.flat().map((user) => user.leave()));
};

/** Expects every event of the pairs' chats to be in PostgreSQL, once and in order. */
const expectAllPersisted = (pairs: readonly ChatUserPair[]): Promise<void> =>
  expectPersisted(
    pairs.map(([{ sessionId = '' }]) => sessionId),
    { redis, databaseUrl: stack.stores.databaseUrl },
  );

it('neither loses nor duplicates a message when a replica is killed', async () => {
  const pairs = await createMatchedPairs(stack.url, PAIR_COUNT);
  const stopSending = startSending(pairs, { everyMs: SEND_EVERY_MS });
  const [killedReplica] = stack.replicas;
  await sleep(2_000); // messages flow before the kill
  killedReplica?.kill();
  await until(() => pairs.flat().some(({ closeCodes }) => closeCodes.length > 0));
  await waitUntilConnected(pairs.flat());
  await killedReplica?.waitUntilReady();
  await sleep(2_000); // messages flow after the kill
  await stopSending();
  await settleAndExpectNoFaults(pairs);
  const longestAbsenceMs = Math.max(...pairs.flat().flatMap(({ absencesMs }) => absencesMs));
  expect(longestAbsenceMs).toBeLessThan(MAX_ABSENCE_MS * estimateCpuSlowdown());
  await expectAllPersisted(pairs);
  await leaveAll(pairs);
});

it('notifies the partner within six seconds when the replica of a user is killed', async () => {
  const { ada, bob } = await matchAcrossReplicas();
  const [, killedReplica] = stack.replicas; // Bob's
  bob.stopReconnecting();
  const killedAt = Date.now();
  killedReplica?.kill();
  await (await ada.socket).next('partner_connection', ({ state }) => state === 'reconnecting');
  // The lease of a replica expires after four seconds, and replicas look for expired leases every second.
  expect(Date.now() - killedAt).toBeLessThan(6_000 * estimateCpuSlowdown());
  await killedReplica?.waitUntilReady();
  await ada.leave();
});

it('a replica that was suspended, and evicted by the others, records its sockets again when it continues', async () => {
  const { ada, bob } = await matchAcrossReplicas();
  const [, suspendedReplica] = stack.replicas; // Bob's
  const adaSocket = await ada.socket;
  /** Returns the sorted replica ids of the sockets that are recorded in the chat. A record is `<replica id>|…`. */
  const readReplicaIds = async () => {
    const [key = ''] = await redis.keys(`*:sockets:${ada.sessionId}`);
    const records = await redis.hvals(key);
    return records.map((record) => record.split('|')[0]).sort();
  };
  const replicaIds = await readReplicaIds();
  expect(new Set(replicaIds).size).toBe(2);
  suspendedReplica?.kill('SIGSTOP');
  await adaSocket.next('partner_connection', ({ state }) => state === 'reconnecting');
  expect(await readReplicaIds()).toHaveLength(1);
  await ada.send('while the partner is away');
  suspendedReplica?.kill('SIGCONT');
  await adaSocket.next('partner_connection', ({ state }) => state === 'connected');
  await until(async () => (await readReplicaIds()).join() === replicaIds.join());
  await until(() => bob.seq === ada.seq);
  await bob.send('on the same socket');
  await until(() => ada.seq === bob.seq);
  expect(findFaults([ada, bob])).toEqual([]);
  expect(bob.closeCodes).toEqual([]);
  expect(await redis.zcard(leaseKeys.live)).toBe(stack.replicas.length);
  for (const user of [ada, bob]) await user.leave();
});

it('matches every searching user, each into one chat, although replicas are killed', async () => {
  const userCount = isLongRun ? 40 : 8;
  const users: ChatUser[] = [];
  for (let index = 0; index < userCount; index += 1) {
    users.push(await new ChatUser(stack.url).join(index % 2 === 0 ? 'female' : 'male'));
  }
  for (const [index, user] of users.entries()) {
    const isFifthOfEight = index % 8 === 4;
    if (isFifthOfEight) stack.replicas[index % stack.replicas.length]?.kill(); // another one each time
    await user.search().catch(() => undefined); // a killed replica does not answer
  }
  for (const replica of stack.replicas) await replica.waitUntilReady();
  await waitUntilConnected(users);
  for (const user of users) {
    // A page that has received no answer sends `join_queue` again. Users who are queued or in a chat remain so.
    await (await user.socket).ask('join_queue', {});
  }
  const readQueueEntry = async (userId: number) => {
    const fields = await redis.hmget(matchingKeys.user(userId), 'state', 'session', 'partner');
    const [state, sessionId, partnerId] = fields;
    return { state, sessionId, partnerId };
  };
  await untilWithin(20_000, async () => {
    const entries = await Promise.all(users.map(({ id }) => readQueueEntry(id)));
    return entries.every(({ state }) => state === 'chatting');
  });
  for (const { id } of users) {
    const { sessionId, partnerId } = await readQueueEntry(id);
    const entryOfPartner = await readQueueEntry(Number(partnerId));
    expect(entryOfPartner).toEqual({ state: 'chatting', sessionId, partnerId: String(id) });
  }
  await Promise.all(users.map((user) => user.leave()));
});

it('writes every event once when the worker is killed repeatedly', async () => {
  const pairs = await createMatchedPairs(stack.url, 8);
  // The long form sends less often, because a chat can have at most 20,000 events.
  const stopSending = startSending(pairs, { everyMs: isLongRun ? 250 : 50 });
  const [worker] = stack.workers;
  for (let round = 0; round < WORKER_KILL_COUNT; round += 1) {
    // 300 to 960 ms, so that the kills hit different points of the worker's cycle of 750 ms.
    await sleep(300 + 110 * (round % 7));
    worker?.kill();
    await worker?.waitUntilReady();
  }
  await stopSending();
  await settleAndExpectNoFaults(pairs);
  await expectAllPersisted(pairs);
  await leaveAll(pairs);
});

it('loses no message, not even the last one, when subscriptions are cut every two seconds', async () => {
  const pairs = await createMatchedPairs(stack.url, PAIR_COUNT);
  const stopSending = startSending(pairs, { everyMs: SEND_EVERY_MS });
  for (let round = 0; round < (isLongRun ? 30 : 4); round += 1) {
    await sleep(2_000);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  }
  await stopSending();
  // The messages below are the last ones: no later message reveals a gap if one of them is lost.
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await Promise.all(pairs.map(async ([first], index) => first.send(`last message of pair ${index}`)));
  await settleAndExpectNoFaults(pairs);
  await leaveAll(pairs);
});

it('continues all chats after Redis is killed and restarted', async () => {
  const pairs = await createMatchedPairs(stack.url, PAIR_COUNT);
  const stopSending = startSending(pairs, { everyMs: SEND_EVERY_MS });
  await sleep(1_500);
  const readRedisPid = async () => Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  const pid = await readRedisPid();
  process.kill(pid, 'SIGKILL');
  await untilWithin(20_000, async () => (await readRedisPid()) !== pid);
  await sleep(3_000); // messages flow through the new process
  await stopSending();
  await waitUntilConnected(pairs.flat());
  await settleAndExpectNoFaults(pairs);
  await leaveAll(pairs);
});

it('continues all chats while PostgreSQL restarts, and persists their events afterwards', async () => {
  const pairs = await createMatchedPairs(stack.url, PAIR_COUNT);
  const stopSending = startSending(pairs, { everyMs: SEND_EVERY_MS });
  await restartPostgres(stack.stores.databaseUrl, 'SIGINT'); // stops it cleanly
  await stopSending();
  await settleAndExpectNoFaults(pairs);
  expect(pairs.flat().flatMap(({ closeCodes }) => closeCodes)).toEqual([]);
  await expectAllPersisted(pairs);
  await leaveAll(pairs);
});
