/**
 * Runs scripts, commands and subscriptions on a Redis Cluster of local processes while their hash slots are moved.
 *
 * The keys of a slot are moved one by one, so for a while they are on two servers. Suppose that a script declares the
 * keys x and y and also uses z, and that x has been moved. Both servers refuse the script (TRYAGAIN), because each
 * lacks one of the declared keys. When y has been moved as well, the new server would run the script, although z is
 * still on the old one. `RedisScript` therefore declares one more key, which never exists. So each server lacks a
 * declared key at every stage of the move. A server that lacks all of them redirects the call to the other one, which
 * refuses it.
 */
import type { ModulesContainer } from '@nestjs/core';
import type { RedisCluster, RedisClusterNode } from '../../../deploy/local/stores/redis-cluster.mjs';
import * as matchQueueScripts from '../../src/modules/matching/infrastructure/match-queue.scripts';
import { isStoreFailure } from '../../src/platform/errors/store-failure.errors';
import * as chatLogScripts from '../../src/platform/hot-log/chat-log.scripts';
import * as chatPresenceScripts from '../../src/platform/hot-log/chat-presence.scripts';
import * as outboxScripts from '../../src/platform/hot-log/outbox.scripts';
import { ProcessEventsService } from '../../src/platform/process-events/process-events.service';
import * as onlineUsersScripts from '../../src/platform/realtime/online-users.scripts';
import { RedisSubscriberService } from '../../src/platform/realtime/redis-subscriber.service';
import * as leaseScripts from '../../src/platform/realtime/replica-lease.scripts';
import {
  connectRedis,
  createSubscriberRoutes,
  type RedisClient,
  waitForFirstConnectionAttempt,
} from '../../src/platform/redis/redis-connection.factory';
import { scanKeys } from '../../src/platform/redis/redis-nodes.functions';
import { RedisScript } from '../../src/platform/redis/redis-script.model';
import {
  chatKeys,
  leaseKeys,
  matchingKeys,
  presenceKeys,
  SHARD_COUNT,
} from '../../src/platform/redis/redis.keys';
import { until } from '../../src/testing/until.functions';

jest.setTimeout(60_000);

let cluster: RedisCluster;
let redis: RedisClient;

beforeAll(async () => {
  const { startRedisCluster } = await import('../../../deploy/local/stores/redis-cluster.mjs');
  cluster = await startRedisCluster();
  redis = connectRedis({ REDIS_URL: cluster.url }, { commandTimeout: 5_000 });
  await waitForFirstConnectionAttempt(redis);
});

afterAll(async () => {
  redis?.disconnect();
  await cluster?.stop();
});

/** Returns a primary that does not serve the key. */
const findPrimaryNotServing = async (key: string): Promise<RedisClusterNode> => {
  const source = await cluster.findPrimary(key);
  return (await cluster.listPrimaries()).find((node) => node !== source)!;
};

/** Begins to move the slot of a key to another primary. */
const beginSlotMove = async (key: string) =>
  cluster.beginMove(await cluster.findSlot(key), await findPrimaryNotServing(key));

const listScripts = (module: object): RedisScript<unknown>[] =>
  Object.values(module).filter((exported) => exported instanceof RedisScript);

/** Returns the values of the keys that match a pattern. All these keys must be strings. */
const readStrings = async (pattern: string): Promise<Record<string, string | null>> => {
  const values: Record<string, string | null> = {};
  for await (const page of scanKeys(redis, pattern, 1_000))
    for (const key of page) values[key] = await redis.get(key);
  return values;
};

// The shards (7 here; 3, 12 and 20 below) are chosen arbitrarily.
const shardKeys = chatKeys(7);
/** The stream of a chat in shard 7. The id of a chat begins with the number of its shard. */
const chatStream = shardKeys.stream('7.a');

it.each([
  { owner: 'matching', keys: [matchingKeys.replicas], scripts: matchQueueScripts },
  { owner: 'leases', keys: Object.values(leaseKeys), scripts: leaseScripts },
  { owner: 'presence of users', keys: [presenceKeys(3).replicas], scripts: onlineUsersScripts },
  { owner: 'presence in chats', keys: [shardKeys.replicas], scripts: chatPresenceScripts },
  { owner: 'the chat log', keys: [chatStream, shardKeys.outbox], scripts: chatLogScripts },
  { owner: 'outboxes', keys: [shardKeys.outbox, shardKeys.deadLetters], scripts: outboxScripts },
])(
  'all scripts of $owner are refused and change no key while their slot is moved, at every stage of the move',
  async ({ keys, scripts }) => {
    const [firstKey = ''] = keys;
    // Each key begins with its hash tag, in braces.
    const hashTag = firstKey.slice(0, firstKey.indexOf('}') + 1);
    // A key of the same slot that is in no call, like those that scripts use without declaring them.
    const undeclaredKey = `${hashTag}:undeclared`;
    const valuesBefore = Object.fromEntries([...keys, undeclaredKey].map((key) => [key, `value of ${key}`]));
    for (const [key, value] of Object.entries(valuesBefore)) await redis.set(key, value);
    const expectRefusals = async () => {
      const anyArguments = ['1', '2', '3']; // refused before the script reads them
      const calls = listScripts(scripts).map((script) => script.run(redis, keys, anyArguments));
      for (const call of await Promise.allSettled(calls)) {
        const error: unknown = call.status === 'rejected' ? call.reason : undefined;
        // ioredis repeats a refused call on any server until it gives up. The last answer may be that of a server
        // without the slot (MOVED), or of the old server when all keys have been moved (ASK).
        expect(String(error)).toMatch(/Too many Cluster redirections.*(TRYAGAIN|MOVED|ASK)/);
        expect(isStoreFailure(error)).toBe(true);
      }
    };

    const move = await beginSlotMove(firstKey);
    await expectRefusals();
    for (const key of keys) {
      await move.moveKey(key);
      await expectRefusals();
    }
    await move.finish(); // moves `undeclaredKey`, then the slot

    expect(await readStrings(`${hashTag}*`)).toEqual(valuesBefore);
    for (const key of Object.keys(valuesBefore)) await redis.del(key);
  },
);

it('keeps the routes of other slots when one slot has moved', async () => {
  // `routes` reads the slot map of `redis`, in which ioredis enters the new server of a slot after a redirection.
  const routes = createSubscriberRoutes({ REDIS_URL: cluster.url }, redis);
  const outboxes = Array.from({ length: SHARD_COUNT }, (_, shard) => chatKeys(shard).outbox);
  const movedKey = outboxes[12]!;
  await routes.refresh();
  const otherKeys = outboxes.filter((key) => key !== movedKey);
  const serversBefore = otherKeys.map((key) => routes.findServer(key));
  const move = await beginSlotMove(movedKey);
  await move.finish();
  await redis.get(movedKey); // is redirected
  // In ioredis all slots of a range share an array with their server, so without a correction (`openCluster`) their
  // routes would change as well.
  expect(otherKeys.map((key) => routes.findServer(key))).toEqual(serversBefore);
});

it('subscribes again after a slot has moved, publishes SubscriberRestored, and receives later messages', async () => {
  // Has no modules, because `publish` is mocked.
  const events = new ProcessEventsService(new Map() as unknown as ModulesContainer);
  const publish = jest.spyOn(events, 'publish').mockReturnValue(undefined);
  const settings = { REDIS_URL: cluster.url, replicaId: 'one' };
  const subscriber = new RedisSubscriberService(
    redis,
    settings as ConstructorParameters<typeof RedisSubscriberService>[1],
    events,
  );
  try {
    await subscriber.onModuleInit();
    const channel = chatKeys(20).channel('one');
    const received: string[] = [];
    await subscriber.subscribe(channel, (message) => void received.push(message));
    await redis.spublish(channel, 'before');
    await until(() => received.length === 1);

    const move = await beginSlotMove(channel);
    await redis.spublish(channel, 'while the slot is moved');
    await until(() => received.length === 2);
    await move.finish();
    await until(() => publish.mock.calls.some(([name]) => name === 'SubscriberRestored'));
    await redis.spublish(channel, 'after');
    await until(() => received.length === 3);

    expect(received).toEqual(['before', 'while the slot is moved', 'after']);
    expect(subscriber.isReceiving).toBe(true);
  } finally {
    subscriber.onApplicationShutdown();
  }
});
