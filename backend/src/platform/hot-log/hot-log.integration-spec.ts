// Real: Redis.
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createTestRedis, type TestRedis } from '../../testing/test-redis';
import { until } from '../../testing/until';
import { connectRedis } from '../redis/redis.module';
import { cellOf, chatKeys } from '../redis/redis-keys';
import { HotLog } from './hot-log';

const NOTHING = { version: 0, lastId: '' };
const GRACE_MS = 1_000;

describe('the hot log', () => {
  let store: TestRedis;
  let clients: Redis[];
  let logs: HotLog[];
  let sessionId: string;
  /** By the channels of three replicas. */
  let heardBy: Map<string, string[]>;
  /** By the first of them. */
  let heard: string[];
  let subscriber: Redis;

  const keys = () => chatKeys(cellOf(sessionId));
  const log = () => logs[0]!;
  const enter = (replicaId: string, userId: number, id = `s-${userId}`, partnerId = 3 - userId) =>
    log().enter(sessionId, { id, userId, replicaId, partnerId });
  const sweep = (...live: string[]) => log().sweep([cellOf(sessionId)], live, GRACE_MS);
  const deadlines = async () =>
    (await store.redis.zrange(keys().deadlines, '0', '-1')).filter((member) => member.startsWith(sessionId));
  /** As if the time had come. */
  const overdue = (userId: number) => store.redis.zadd(keys().deadlines, '1', `${sessionId}|${userId}`);
  /** As if nobody of the replica had come in for a while. */
  const longAgo = (replicaId: string) => store.redis.zadd(keys().entered, '1', replicaId);

  beforeAll(async () => {
    store = await createTestRedis();
    clients = [0, 1, 2].map(() =>
      connectRedis(store.url, { enableOfflineQueue: true, commandTimeout: 5_000 }),
    );
    logs = clients.map((client) => new HotLog(client));
  });
  beforeEach(async () => {
    sessionId = randomUUID();
    heard = [];
    heardBy = new Map([
      [keys().channel('r1'), heard],
      [keys().channel('r2'), []],
      [keys().channel('r3'), []],
    ]);
    subscriber = store.redis.duplicate();
    subscriber.on('message', (channel, message) => {
      expect(message.startsWith(`${sessionId} `)).toBe(true);
      heardBy.get(channel)?.push(message.slice(sessionId.length + 1));
    });
    await subscriber.subscribe(...heardBy.keys());
  });
  afterEach(() => subscriber.disconnect());
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await store.close();
  });

  describe('appends', () => {
    it('to stream, outbox and channel at once, under ids and versions that grow', async () => {
      await enter('r1', 1);
      const first = await log().append(sessionId, NOTHING, ['a', 'b c']);
      if (first.kind !== 'appended') throw new Error(first.kind);
      const [idA = '', idB = ''] = first.ids;
      await log().append(sessionId, { version: 2, lastId: idB }, ['c']);
      const entries = await log().read(sessionId);
      expect(entries.map(({ text }) => text)).toEqual(['a', 'b c', 'c']);
      expect(await log().read(sessionId, idA)).toEqual(entries.slice(1));
      await until(() => heard.length === 3);
      expect(heard).toEqual(entries.map(({ id, text }, index) => `${index + 1} ${id} ${text}`));
      const outbox = (await store.redis.xrange(keys().outbox, '-', '+')).filter(
        ([, fields]) => fields[1] === sessionId,
      );
      expect(outbox.map(([, [, , , id, , text]]) => ({ id, text }))).toEqual(entries);
      expect(await log().versions([sessionId, 'nowhere'])).toEqual([3, 0]);
    });

    it('with word to each replica that has a socket there, once, but not to the one that knows', async () => {
      await enter('r1', 1, 'a');
      await enter('r2', 2, 'b');
      await enter('r2', 2, 'c');
      await enter('r3', 1, 'd');
      await log().leave(sessionId, { id: 'd', replicaId: 'r3' }, GRACE_MS);
      const first = await log().append(sessionId, NOTHING, ['a'], { toldReplicaId: 'r1' });
      if (first.kind !== 'appended') throw new Error(first.kind);
      await log().append(sessionId, { version: 1, lastId: first.ids[0]! }, ['b']);
      await until(() => heard.length > 0);
      const texts = [...heardBy.values()].map((messages) => messages.map((message) => message.split(' ')[2]));
      expect(texts).toEqual([['b'], ['a', 'b'], []]);
    });

    it('not where somebody was faster, and tells what was missed', async () => {
      const first = await log().append(sessionId, NOTHING, ['a']);
      if (first.kind !== 'appended') throw new Error(first.kind);
      expect(await logs[1]!.append(sessionId, NOTHING, ['b'])).toEqual({
        kind: 'behind',
        version: 1,
        missed: [{ id: first.ids[0], text: 'a' }],
      });
      expect(await log().versions([sessionId])).toEqual([1]);
    });

    it('one of many at once, each of whom learns of the others in order', async () => {
      await enter('r1', 1);
      const seen: string[][] = await Promise.all(
        Array.from({ length: 30 }, async (_, writer) => {
          const known: { id: string; text: string }[] = [];
          const mine = logs[writer % logs.length]!;
          for (;;) {
            const end = { version: known.length, lastId: known.at(-1)?.id ?? '' };
            const result = await mine.append(sessionId, end, [`${writer}`]);
            if (result.kind === 'appended') return [...known.map(({ text }) => text), `${writer}`];
            if (result.kind !== 'behind') throw new Error(result.kind);
            known.push(...result.missed);
          }
        }),
      );
      const texts = (await log().read(sessionId)).map(({ text }) => text);
      expect(new Set(texts).size).toBe(30);
      for (const known of seen) expect(known).toEqual(texts.slice(0, known.length));
      await until(() => heard.length === 30);
      expect(heard.map((message) => message.split(' ')[2])).toEqual(texts);
    });

    it('nothing to an outbox that is full', async () => {
      await store.redis.eval(
        "for i = 1, 50000 do redis.call('XADD', KEYS[1], '*', 's', 'other') end",
        1,
        keys().outbox,
      );
      expect(await log().append(sessionId, NOTHING, ['a'])).toEqual({ kind: 'outbox_full' });
      expect(await log().exists(sessionId)).toBe(false);
      await store.redis.del(keys().outbox);
      expect(await log().append(sessionId, NOTHING, ['a'])).toMatchObject({ kind: 'appended' });
      expect(heard.length).toBeLessThanOrEqual(1);
    });

    it('says when it was the first to fill an outbox', async () => {
      await store.redis.del(keys().outbox);
      const filled: number[] = [];
      const own = new HotLog(clients[0]!);
      own.onOutboxFilled((cell) => filled.push(cell));
      const first = await own.append(sessionId, NOTHING, ['a']);
      if (first.kind !== 'appended') throw new Error(first.kind);
      await own.append(sessionId, { version: 1, lastId: first.ids[0]! }, ['b']);
      expect(filled).toEqual([cellOf(sessionId)]);
    });

    it('an end for an overdue deadline, once, and not when its user is back', async () => {
      await log().await(sessionId, [1, 2], GRACE_MS);
      expect(await log().append(sessionId, NOTHING, ['end'], { claim: { userId: 1 } })).toEqual({
        kind: 'claim_lost',
      });
      await overdue(1);
      const results = await Promise.all(
        logs.map((each) => each.append(sessionId, NOTHING, ['end'], { claim: { userId: 1 } })),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      const { id: lastId = '' } = (await log().read(sessionId)).at(-1) ?? {};
      await overdue(2);
      await enter('r1', 2);
      expect(
        await log().append(sessionId, { version: 1, lastId }, ['end'], { claim: { userId: 2 } }),
      ).toEqual({
        kind: 'claim_lost',
      });
    });
  });

  describe('knows who is there', () => {
    it('by sockets: the last one to leave starts the deadline, the first to return ends it', async () => {
      await enter('r1', 2);
      await enter('r1', 1, 'tab-1');
      await enter('r2', 1, 'tab-2');
      await log().leave(sessionId, { id: 'tab-1', replicaId: 'r1' }, GRACE_MS);
      expect(await deadlines()).toEqual([]);
      await log().leave(sessionId, { id: 'tab-2', replicaId: 'r2' }, GRACE_MS);
      expect(await deadlines()).toEqual([`${sessionId}|1`]);
      await enter('r3', 1, 'tab-3');
      expect(await deadlines()).toEqual([]);
      await until(() => heard.length === 2);
      expect(heard).toEqual(['c 1 reconnecting', 'c 1 connected']);
    });

    it('and tells who enters whether the partner is', async () => {
      expect(await enter('r1', 1)).toBe(true); // not here yet, and not missed either
      await log().await(sessionId, [1, 2], GRACE_MS);
      expect(await deadlines()).toEqual([`${sessionId}|2`]);
      expect(await enter('r1', 1)).toBe(false);
      await enter('r2', 2);
      expect(await enter('r1', 1)).toBe(true);
    });

    it('a socket that leaves twice, or was never there, changes nothing', async () => {
      await enter('r1', 1);
      await log().leave(sessionId, { id: 'nobody', replicaId: 'r1' }, GRACE_MS);
      await log().leave(sessionId, { id: 's-1', replicaId: 'r1' }, -1);
      await log().leave(sessionId, { id: 's-1', replicaId: 'r1' }, GRACE_MS);
      expect(await deadlines()).toEqual([]);
      expect(heard).toEqual([]);
    });

    it('and forgets it with the end', async () => {
      await enter('r1', 1);
      await enter('r2', 2);
      await log().leave(sessionId, { id: 's-2', replicaId: 'r2' }, GRACE_MS);
      await log().close(sessionId, [1, 2]);
      expect(await deadlines()).toEqual([]);
      expect(await store.redis.exists(keys().sockets(sessionId))).toBe(0);
    });
  });

  describe('sweeps', () => {
    it('the sockets of a dead replica out, and leaves those of the living', async () => {
      await enter('dead', 1);
      await enter('r1', 2);
      await longAgo('dead');
      await longAgo('r1');
      expect(await sweep('r1')).toEqual([]);
      expect(await deadlines()).toEqual([`${sessionId}|1`]);
      await until(() => heard.length === 1);
      expect(heard).toEqual(['c 1 reconnecting']);
      expect(await store.redis.exists(keys().ofReplica('dead'))).toBe(0);
      expect(await store.redis.smembers(keys().ofReplica('r1'))).toContain(`${sessionId}|s-2`);
      await sweep('r1');
      expect(heard).toHaveLength(1);
    });

    it('not those of a replica so new that the sweeper has not heard of it', async () => {
      await enter('new', 1);
      await sweep('sweeper');
      expect(await deadlines()).toEqual([]);
      expect(await store.redis.smembers(keys().ofReplica('new'))).toContain(`${sessionId}|s-1`);
    });

    it('and names deadlines when they are overdue, not before', async () => {
      await log().await(sessionId, [1, 2], GRACE_MS);
      expect((await sweep('r1')).filter((one) => one.sessionId === sessionId)).toEqual([]);
      await overdue(2);
      expect(await sweep('r1')).toContainEqual({ sessionId, userId: 2 });
    });
  });
});
