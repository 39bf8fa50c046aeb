// Runs against a real api replica and worker in this process, users' sockets, PostgreSQL, and a separate Redis that
// hostile users fill. The long form (THAW_TEST_LONG=1) has a larger Redis, and waits until the streams of the attack
// expire.
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import { chatStreams } from '../../../platform/redis/redis.keys';
import { Conversation, findLostOrDuplicates, sendMessages } from '../../../testing/conversation.driver';
import { HostileUser } from '../../../testing/hostile-user.driver';
import { type OwnRedis, startOwnRedis, readUsedBytes } from '../../../testing/own-redis.harness';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { ThawVisitor } from '../../../testing/thaw.client';
import { until, untilWithin } from '../../../testing/until.functions';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MIB = 1024 * 1024;
/** Memory that the attack may use before Redis is full. */
const FREE_BYTES = (isLongRun ? 64 : 12) * MIB;
const HOSTILE_PAIRS = 6;

jest.setTimeout(isLongRun ? 15 * 60_000 : 120_000);

describe('hostile users who fill Redis', () => {
  let own: OwnRedis;
  let stack: TestStack;
  let maxMemory: number;
  let honest: Conversation[];
  let hostile: HostileUser[];

  const getOrigin = () => stack.origins[0] ?? '';
  const isFull = () => !stack.replicas[0]!.app.get(MemoryValveService).isOpen;
  const readBacklog = async () => (await new OutboxRepository(own.redis).measureBacklog()).length;
  const waitUntilPersisted = () => until(readBacklog, (length) => length === 0, 60_000);
  const waitForEnd = ({ sockets }: Conversation) => sockets[1].next('chat_skipped');
  const readTtls = async () =>
    Promise.all((await own.redis.keys(chatStreams.pattern)).map((key) => own.redis.pttl(key)));

  beforeAll(async () => {
    own = await startOwnRedis();
    stack = await startTestStack(1, {
      REDIS_URL: own.url,
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: '800',
    });
    await stack.startWorker();
    honest = [];
    for (let count = 0; count < 4; count += 1) honest.push(await Conversation.start(getOrigin()));
    hostile = [];
    for (let count = 0; count < 2 * HOSTILE_PAIRS; count += 1) {
      const visitor = await new ThawVisitor([getOrigin()]).joinAnonymously(
        count % 2 === 0 ? 'female' : 'male',
      );
      hostile.push(await HostileUser.connect(visitor));
    }
    maxMemory = (await readUsedBytes(own.redis)) + FREE_BYTES;
    await own.redis.config('SET', 'maxmemory', `${maxMemory}`);
  });
  afterAll(async () => {
    await stack.close();
    await own.close();
  });

  it('are refused messages before Redis is full', async () => {
    await Promise.all([
      sendMessages(honest, { perSecond: 20, text: 'hello', isOver: isFull }),
      ...hostile.map((user) => user.attack({ pauseMs: 200, isOver: isFull })),
    ]);
    const peak = Number(/^used_memory_peak:(\d+)/m.exec(await own.redis.info('memory'))?.[1]);
    expect(peak).toBeLessThan(maxMemory);
    expect(honest.every(({ acknowledged }) => acknowledged.size > 0)).toBe(true);
    const hostileChats = hostile.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    expect(hostileChats).toBeGreaterThan(hostile.length);
  });

  it('do not prevent other users from skipping and leaving', async () => {
    const [skipped, left, lost] = honest as [Conversation, Conversation, Conversation];
    await skipped.sockets[0].request('skip_chat', { sessionId: skipped.sessionId });
    await left.sockets[0].leave();
    await lost.sockets[0].cut();
    expect(await waitForEnd(skipped)).toMatchObject({ reason: 'skipped' });
    expect(await waitForEnd(left)).toMatchObject({ reason: 'disconnected' });
    expect(await waitForEnd(lost)).toMatchObject({ reason: 'disconnected' });
    const search = await skipped.sockets[0].ask('join_queue', {});
    expect(search).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
    expect(isFull()).toBe(true);
  });

  it('occupy no memory a minute after their chats have ended', async () => {
    await Promise.all(hostile.map(({ socket }) => socket.cut()));
    await waitUntilPersisted();
    // Only the chat that is still open has no expiry.
    await until(readTtls, (each) => each.filter((ttl) => ttl === -1).length === 1, 30_000);
    await until(readTtls, (each) => each.every((ttl) => ttl <= 60_000), 30_000);
    if (!isLongRun) for (const key of await own.redis.keys(chatStreams.pattern)) await expireNow(key);
    await untilWithin(90_000, () => !isFull());
  });

  it('do not cause the loss of an acknowledged message', async () => {
    const [skipped, , , open] = honest as [Conversation, Conversation, Conversation, Conversation];
    expect(await open.send(0, 'still here')).toBe(true);
    for (const socket of skipped.sockets) await socket.request('join_queue', {});
    await Promise.all(skipped.sockets.map((socket) => until(() => socket.all('chat_matched').length === 2)));
    await waitUntilPersisted();
    const acknowledged = hostile.flatMap((user) =>
      [...user.acknowledged].map(([sessionId, messages]) => ({ sessionId, acknowledged: messages })),
    );
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(await findLostOrDuplicates(stack.database.dataSource, [...honest, ...acknowledged])).toEqual([]);
  });

  /** Expires a key that has an expiry, as if a minute had passed. */
  const expireNow = async (key: string): Promise<void> => {
    if ((await own.redis.pttl(key)) > 0) await own.redis.pexpire(key, 1);
  };
});
