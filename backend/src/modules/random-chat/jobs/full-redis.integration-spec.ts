// Real: an api replica and a worker in this process, PostgreSQL, a Redis of its own whose memory is used up.
// The long form (THAW_TEST_LONG=1) fills it at 1,000 messages a second and keeps PostgreSQL away for five minutes.
import { EventStore } from '../../../platform/event-store/event-store';
import { Outbox } from '../../../platform/hot-log/outbox';
import { MemoryValve } from '../../../platform/redis/memory-valve';
import { type OwnRedis, startOwnRedis } from '../../../testing/own-redis';
import { messageSent, newSession, putIntoOutbox } from '../../../testing/raw-outbox';
import { startTestReplicas, type TestReplicas, type TestWorker } from '../../../testing/test-replicas';
import { pair } from '../../../testing/thaw-client';
import { until } from '../../../testing/until';

const isLong = process.env.THAW_TEST_LONG === '1';
const HELD_MS = isLong ? 5 * 60_000 : 5_000;

jest.setTimeout(isLong ? 15 * 60_000 : 120_000);

describe('a full Redis', () => {
  let own: OwnRedis;
  let thaw: TestReplicas;
  let worker: TestWorker;

  // By a connection without a time-out: this process has a replica, a worker and all the filling to do.
  const backlog = async () => (await new Outbox(own.redis).backlog()).length;
  const isEmpty = () => until(backlog, (length) => length === 0, isLong ? 5 * 60_000 : 60_000);
  const say = (sessionId: string, content: string) => ({ sessionId, content, messageType: 'text' as const });
  const meet = () => pair([thaw.origins[0] ?? '', thaw.origins[0] ?? '']);
  const valve = () => thaw.replicas[0]!.app.get(MemoryValve);
  const isValve = (state: 'open' | 'closed') =>
    until(() => valve().isOpen === (state === 'open'), Boolean, 30_000);
  const durable = async (sessionId: string): Promise<number> => {
    const [row] = await thaw.database.dataSource.query<{ count: string }[]>(
      `SELECT count(*) FROM events WHERE stream_id = $1`,
      [`chat-${sessionId}`],
    );
    return Number(row?.count);
  };
  /** As seen by the worker. */
  const takeAwayPostgres = () =>
    jest
      .spyOn(worker.app.get(EventStore), 'appendBatch')
      .mockRejectedValue(Object.assign(new Error('terminated'), { code: '57P01' }));

  beforeAll(async () => {
    own = await startOwnRedis();
    thaw = await startTestReplicas(1, {
      REDIS_URL: own.url,
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
    });
    worker = await thaw.startWorker();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await own.redis.config('SET', 'maxmemory', '0');
    await isEmpty();
    await isValve('open');
  });
  afterAll(async () => {
    await thaw.close();
    await own.close();
  });

  it('answers unavailable, and drains by itself once PostgreSQL is back, without a byte to spare', async () => {
    const chat = await meet();
    await isEmpty();
    const away = takeAwayPostgres();
    for (let count = 0; count < 10; count += 1) {
      await chat.adaSocket.request('random_message', say(chat.sessionId, `message ${count}`));
    }
    await own.redis.config('SET', 'maxmemory', '1');
    const refused = await chat.adaSocket.ask('random_message', say(chat.sessionId, 'one more'));
    expect(refused).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
    expect(await backlog()).toBe(10);
    away.mockRestore();
    await isEmpty();
    expect(await durable(chat.sessionId)).toBe(11);
    expect((await own.redis.info('memory')).includes('maxmemory:1\r')).toBe(true);
  });

  it('is kept from filling up: new messages are refused before it is full, and all drains when PostgreSQL is back', async () => {
    const chat = await meet();
    await isEmpty();
    const away = takeAwayPostgres();
    const used = async () => Number(/^used_memory:(\d+)/m.exec(await own.redis.info('memory'))?.[1]);
    const maxMemory = isLong ? 64 * 1024 * 1024 : 2 * (await used());
    await own.redis.config('SET', 'maxmemory', `${maxMemory}`);
    const sessions = Array.from({ length: 200 }, () => newSession());
    const counts = new Map<string, number>();
    const text = 'x'.repeat(200);
    for (let round = 0; valve().isOpen; round += 1) {
      const startedAt = performance.now();
      // 1,000 messages, as fifty pairs and more would send them, for which this process has not the time.
      for (const sessionId of sessions) {
        await putIntoOutbox(
          own.redis,
          sessionId,
          Array.from({ length: 5 }, () => messageSent(text)),
        );
        counts.set(sessionId, (counts.get(sessionId) ?? 0) + 5);
      }
      await until(() => performance.now() - startedAt >= 1_000);
      expect(round).toBeLessThan(500);
    }
    expect(await used()).toBeLessThan(maxMemory);
    const filled = await backlog();
    const refused = await chat.adaSocket.ask('random_message', say(chat.sessionId, 'one more'));
    expect(refused).toMatchObject({ event: 'error', data: { code: 'unavailable' } });

    const heldSince = performance.now();
    await until(() => performance.now() - heldSince >= HELD_MS, Boolean, HELD_MS + 10_000);
    expect(await backlog()).toBe(filled);
    expect(valve().isOpen).toBe(false);
    away.mockRestore();
    await isEmpty();
    await isValve('open');
    await chat.adaSocket.request('random_message', say(chat.sessionId, 'as before'));
    for (const sessionId of sessions) expect(await durable(sessionId)).toBe(counts.get(sessionId));
  });

  it('lets people leave their chats while it is full', async () => {
    const chat = await meet();
    await own.redis.config('SET', 'maxmemory', '1');
    await chat.adaSocket.request('skip_chat', { sessionId: chat.sessionId });
    await chat.bobSocket.next('chat_skipped');
    await isEmpty();
    expect(await durable(chat.sessionId)).toBe(2);
  });
});
