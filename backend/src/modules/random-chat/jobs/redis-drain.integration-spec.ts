// Runs against real Redis. No worker is running: the test removes entries from the outboxes in its place.
//
// Processes of releases with different layouts (formats of the keys and values in Redis) cannot share a Redis. A drain
// therefore empties Redis before a release that changes the layout.
import { randomUUID } from 'node:crypto';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DrainModule } from '../../../drain.module';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { claimRedisLayout, REDIS_LAYOUT } from '../../../platform/redis/redis-layout.functions';
import {
  findShard,
  chatKeys,
  drainingKey,
  layoutKey,
  matchingKeys,
} from '../../../platform/redis/redis.keys';
import { createTestRedis, type TestRedis } from '../../../testing/test-redis.harness';
import { until } from '../../../testing/until.functions';
import { RedisDrainService } from './redis-drain.service';

/** A port on which no server listens. */
const UNREACHABLE_URL = 'redis://127.0.0.1:1';

/** An event as it is stored in Redis: id, type and data. */
const encodedChatStarted = JSON.stringify({
  i: randomUUID(),
  t: 'ChatStarted',
  d: { userIds: [1, 2], participants: [] },
});

let store: TestRedis;
let app: INestApplicationContext;
let sessionId: string;

beforeAll(async () => {
  store = await createTestRedis();
  app = await NestFactory.createApplicationContext(DrainModule.forRoot({ REDIS_URL: store.url }), {
    logger: false,
    abortOnError: false,
  });
});
afterAll(async () => {
  await app.close();
  await store.close();
});

/** The keys of the shard of the chat. */
const getShardKeys = () => chatKeys(findShard(sessionId));
/** @param stuckAfterMs time without progress after which the drain fails. Short by default: most drains must fail. */
const drain = (stuckAfterMs = 400): Promise<number> => app.get(RedisDrainService).drain({ stuckAfterMs });
const readEventTypes = async (stream: string): Promise<string[]> => {
  const entries = await store.redis.xrange(stream, '-', '+');
  // The event is the last field of an entry.
  return entries.map(([, fields]) => (JSON.parse(fields.at(-1) ?? '') as { t: string }).t);
};
/** Removes all entries from the outbox, as a worker does after it has written them. */
const emptyOutbox = () => store.redis.xtrim(getShardKeys().outbox, 'MAXLEN', 0);
/** Makes a replica count as running for the next minute. */
const addLease = async (replicaId: string): Promise<void> => {
  const [seconds] = await store.redis.time();
  const expiresAtMs = (Number(seconds) + 60) * 1_000;
  await store.redis.zadd(matchingKeys.leases, expiresAtMs, replicaId);
};

describe('draining Redis', () => {
  beforeEach(async () => {
    await store.flush();
    sessionId = randomUUID();
    await claimRedisLayout({ REDIS_URL: store.url });
    await app.get(ChatLogRepository).append(sessionId, { version: 0, lastId: '' }, [encodedChatStarted]);
  });

  it('ends the open chats, and deletes every key only when all outboxes are empty', async () => {
    await store.redis.set('anything', 'else');
    const draining = drain(20_000); // enough for the steps of this test
    await emptyOutbox(); // The drain ends chats only after all earlier events are in PostgreSQL.
    await until(async () => (await readEventTypes(getShardKeys().outbox)).includes('ChatEnded'));
    expect(await readEventTypes(getShardKeys().stream(sessionId))).toEqual(['ChatStarted', 'ChatEnded']);
    expect(await store.redis.get('anything')).toBe('else');

    await emptyOutbox();
    const deletedKeyCount = await draining;
    expect(deletedKeyCount).toBeGreaterThanOrEqual(2); // at least the stream and `anything`
    expect(await store.listKeys()).toEqual([]);
  });

  it('ends a chat only once when the drain is repeated', async () => {
    await emptyOutbox();
    // The drain ends the chat, and then fails because `ChatEnded` stays in the outbox.
    await expect(drain()).rejects.toThrow('1 events still wait for PostgreSQL');
    await emptyOutbox();
    expect(await readEventTypes(getShardKeys().stream(sessionId))).toEqual(['ChatStarted', 'ChatEnded']);
    await drain();
    expect(await store.listKeys()).toEqual([]);
  });

  it('deletes nothing and ends no chat while events wait for PostgreSQL', async () => {
    await expect(drain()).rejects.toThrow('1 events still wait for PostgreSQL');
    expect(await readEventTypes(getShardKeys().outbox)).toEqual(['ChatStarted']);
    expect(await readEventTypes(getShardKeys().stream(sessionId))).toEqual(['ChatStarted']);
  });

  it('allows processes of the same layout to start again after it has failed', async () => {
    await expect(drain()).rejects.toThrow('1 events still wait for PostgreSQL');
    expect(await store.redis.exists(drainingKey)).toBe(0);
    expect(await store.redis.get(layoutKey)).toBe(REDIS_LAYOUT);
    await expect(claimRedisLayout({ REDIS_URL: store.url })).resolves.toBeUndefined();
  });

  it('deletes nothing and ends no chat while a replica has a lease', async () => {
    await addLease('api-7');
    await expect(drain()).rejects.toThrow('Replicas are still running: api-7');
    expect(await readEventTypes(getShardKeys().stream(sessionId))).toEqual(['ChatStarted']);
  });

  it('deletes nothing while there are dead letters', async () => {
    // As if PostgreSQL had refused the event.
    await store.redis.rename(getShardKeys().outbox, getShardKeys().deadLetters);
    await expect(drain()).rejects.toThrow('Redis alone holds 1 dead letters');
    expect(await readEventTypes(getShardKeys().deadLetters)).toEqual(['ChatStarted']);
  });

  it('is refused when Redis has the layout of another release', async () => {
    await store.redis.set(layoutKey, 'other');
    await expect(drain()).rejects.toThrow(`Redis holds layout other`);
    expect(await readEventTypes(getShardKeys().outbox)).toEqual(['ChatStarted']);
  });
});

describe('starting a process', () => {
  beforeEach(() => store.flush());

  it('records the layout in an empty Redis, and accepts it on the next start', async () => {
    await claimRedisLayout({ REDIS_URL: store.url });
    await claimRedisLayout({ REDIS_URL: store.url });
    expect(await store.redis.get(layoutKey)).toBe(REDIS_LAYOUT);
  });

  it('is refused when Redis has another layout, which stays recorded', async () => {
    await store.redis.set(layoutKey, 'other');
    await expect(claimRedisLayout({ REDIS_URL: store.url })).rejects.toThrow(
      `Redis holds layout other and this release works with layout ${REDIS_LAYOUT}`,
    );
    expect(await store.redis.get(layoutKey)).toBe('other');
  });

  it('is refused while Redis is being drained', async () => {
    await store.redis.set(drainingKey, '1', 'PX', 60_000);
    await expect(claimRedisLayout({ REDIS_URL: store.url })).rejects.toThrow('Redis is being drained');
  });

  it('is allowed while Redis is unreachable', async () => {
    await expect(claimRedisLayout({ REDIS_URL: UNREACHABLE_URL })).resolves.toBeUndefined();
  });
});
