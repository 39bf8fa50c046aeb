// Runs against a real api replica and worker in this process, users' sockets, a separate Redis whose memory is used up,
// and PostgreSQL behind a link that is cut. The long form (THAW_TEST_LONG=1) fills 64 MiB and makes PostgreSQL
// unreachable for five minutes.
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import {
  Conversation,
  readDurableTexts,
  findLostOrDuplicates,
  sendMessages,
} from '../../../testing/conversation.driver';
import { type CuttableLink, startCuttableLink } from '../../../testing/cuttable-link.proxy';
import { fillRedis, type OwnRedis, startOwnRedis, readUsedBytes } from '../../../testing/own-redis.harness';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { until, untilWithin } from '../../../testing/until.functions';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MIB = 1024 * 1024;
/** How long Redis stays full while users continue to send. */
const HOLD_FULL_MS = isLongRun ? 5 * 60_000 : 5_000;
/** Memory that the messages may use before Redis is full. */
const FREE_BYTES = isLongRun ? 64 * MIB : 6 * MIB;
const PAIRS = isLongRun ? 50 : 20;
const MESSAGES_PER_SECOND = 1_000;
const TEXT = 'x'.repeat(200);

jest.setTimeout(isLongRun ? 20 * 60_000 : 120_000);

describe('a full Redis', () => {
  let own: OwnRedis;
  let postgres: CuttableLink;
  let stack: TestStack;

  // Uses a connection without a time-out: a replica, a worker and all users keep this process busy.
  const readBacklog = async () => (await new OutboxRepository(own.redis).measureBacklog()).length;
  const waitUntilPersisted = () =>
    until(readBacklog, (length) => length === 0, isLongRun ? 5 * 60_000 : 60_000);
  const startConversation = () => Conversation.start(stack.origins[0] ?? '');
  const getValve = () => stack.replicas[0]!.app.get(MemoryValveService);
  const waitForValve = (state: 'open' | 'closed') =>
    untilWithin(60_000, () => getValve().isOpen === (state === 'open'));
  const countEnds = async ({ sessionId }: Conversation): Promise<number> =>
    [...(await readDurableTexts(stack.database.dataSource, sessionId)).values()].filter(
      (text) => text === 'ChatEnded',
    ).length;

  beforeAll(async () => {
    own = await startOwnRedis();
    stack = await startTestStack(0, {
      REDIS_URL: own.url,
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: '800',
    });
    postgres = await startCuttableLink(stack.database.url);
    await stack.addReplica({ DATABASE_URL: postgres.url });
    await stack.startWorker({ DATABASE_URL: postgres.url });
  });
  afterEach(async () => {
    await postgres.restore();
    await own.redis.config('SET', 'maxmemory', '0');
    await own.redis.del('ballast');
    await waitUntilPersisted();
    await waitForValve('open');
  });
  afterAll(async () => {
    await stack.close();
    await postgres.close();
    await own.close();
  });

  it('refuses messages as unavailable, and is drained without free memory once PostgreSQL is reachable', async () => {
    const chat = await startConversation();
    await waitUntilPersisted();
    await postgres.cut();
    for (let count = 0; count < 10; count += 1) expect(await chat.send(0, 'stored')).toBe(true);
    await own.redis.config('SET', 'maxmemory', '1');
    expect(await chat.send(0, 'one more')).toBe(false);
    expect(await readBacklog()).toBe(10);
    await postgres.restore();
    await waitUntilPersisted();
    expect(await findLostOrDuplicates(stack.database.dataSource, [chat])).toEqual([]);
    expect((await own.redis.info('memory')).includes('maxmemory:1\r')).toBe(true);
  });

  it('refuses messages before its memory is full while PostgreSQL is unreachable, and is drained without loss', async () => {
    const chats: Conversation[] = [];
    for (let count = 0; count < PAIRS; count += 1) chats.push(await startConversation());
    await waitUntilPersisted();
    const maxMemory = (await readUsedBytes(own.redis)) + FREE_BYTES;
    await own.redis.config('SET', 'maxmemory', `${maxMemory}`);
    await postgres.cut();

    const isFull = () => !getValve().isOpen;
    await sendMessages(chats, { perSecond: MESSAGES_PER_SECOND, text: TEXT, isOver: isFull });
    expect(await readUsedBytes(own.redis)).toBeLessThan(maxMemory);
    const backlogWhenFull = await readBacklog();
    const acknowledged = chats.reduce((sum, chat) => sum + chat.acknowledged.size, 0);
    expect(backlogWhenFull).toBeGreaterThanOrEqual(acknowledged);

    const heldUntil = performance.now() + HOLD_FULL_MS;
    await sendMessages(chats, { perSecond: PAIRS, text: TEXT, isOver: () => performance.now() > heldUntil });
    expect(chats.every(({ refusals }) => refusals > 0)).toBe(true);
    expect(chats.reduce((sum, chat) => sum + chat.acknowledged.size, 0)).toBe(acknowledged);
    expect(await readBacklog()).toBe(backlogWhenFull);
    expect(isFull()).toBe(true);

    await postgres.restore();
    await waitUntilPersisted();
    await waitForValve('open');
    for (const chat of chats) expect(await chat.send(1, 'as before')).toBe(true);
    await waitUntilPersisted();
    expect(await findLostOrDuplicates(stack.database.dataSource, chats)).toEqual([]);
    for (const { sockets } of chats)
      expect(sockets.flatMap(({ seqViolations }) => seqViolations)).toEqual([]);
  });

  it('lets skips, clean closes and lost connections end chats while it refuses every other write', async () => {
    const [skipped, left, lost] = [
      await startConversation(),
      await startConversation(),
      await startConversation(),
    ];
    await fillRedis(own.redis);
    const expectFull = async () => {
      await expect(own.redis.set('one more key', 'x')).rejects.toThrow('OOM');
    };
    await expectFull();

    const { sessionId } = skipped;
    await skipped.sockets[0].request('skip_chat', { sessionId });
    await left.sockets[0].leave();
    await lost.sockets[0].cut();
    const waitForEnd = ({ sockets }: Conversation) => sockets[1].next('chat_skipped');
    expect(await waitForEnd(skipped)).toMatchObject({
      reason: 'skipped',
      endedBy: skipped.visitors[0].user.id,
    });
    expect(await waitForEnd(left)).toMatchObject({ reason: 'disconnected' });
    expect(await waitForEnd(lost)).toMatchObject({ reason: 'disconnected' });
    // A second skip does not end the chat again.
    await skipped.sockets[1].request('skip_chat', { sessionId });
    await waitUntilPersisted();
    for (const chat of [skipped, left, lost]) expect(await countEnds(chat)).toBe(1);
    const search = await skipped.sockets[0].ask('join_queue', {});
    expect(search).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
    await expectFull();

    await own.redis.config('SET', 'maxmemory', '0');
    await waitForValve('open');
    const freeSockets = [skipped.sockets[0], ...[skipped, left, lost].map(({ sockets }) => sockets[1])];
    for (const socket of freeSockets) await socket.request('join_queue', {});
    await Promise.all(freeSockets.map((socket) => until(() => socket.all('chat_matched').length === 2)));
  });
});
