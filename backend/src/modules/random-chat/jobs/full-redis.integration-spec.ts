// Runs against a real api replica and worker in this process. Users connect through real sockets. Redis is a separate
// server, whose memory is used up. PostgreSQL is behind a link that the tests cut. The memory valve of a replica closes
// before Redis is full: new chats and messages are then refused. The long form (THAW_TEST_LONG=1) fills 64 MiB and
// makes PostgreSQL unreachable for five minutes.
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import {
  Conversation,
  readDurableTexts,
  findLostAndDuplicateMessages,
  sendMessages,
} from '../../../testing/conversation.driver';
import { type CuttableLink, startCuttableLink } from '../../../testing/cuttable-link.proxy';
import { expectOrderedSeq } from '../../../testing/random-chat.fixture';
import { fillRedis, type OwnRedis, startOwnRedis, readUsedBytes } from '../../../testing/own-redis.harness';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { until, untilWithin } from '../../../testing/until.functions';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MIB = 1024 * 1024;
/** How long users continue to send while the memory valve is closed. */
const SEND_WHILE_CLOSED_MS = isLongRun ? 5 * 60_000 : 5_000;
/** Memory that is free when the users start to send. */
const FREE_BYTES = isLongRun ? 64 * MIB : 6 * MIB;
const PAIRS = isLongRun ? 50 : 20;
const MESSAGES_PER_SECOND = 1_000;
const TEXT = 'x'.repeat(200);

jest.setTimeout(isLongRun ? 20 * 60_000 : 120_000);

describe('with a full Redis', () => {
  let ownRedis: OwnRedis;
  let postgres: CuttableLink;
  let stack: TestStack;

  // This busy process may read the reply late, so the connection must be one without a command time-out.
  const countBacklog = async () => (await new OutboxRepository(ownRedis.redis).measureBacklog()).length;
  const waitUntilPersisted = () =>
    until(countBacklog, (length) => length === 0, isLongRun ? 5 * 60_000 : 60_000);
  /** Starts a chat of two users. They have the indexes 0 and 1 in the arrays and methods of `Conversation`. */
  const startConversation = () => Conversation.start(stack.origins[0] ?? '');
  const getValve = () => stack.replicas[0]!.app.get(MemoryValveService);
  const waitForValve = (state: 'open' | 'closed') =>
    untilWithin(60_000, () => getValve().isOpen === (state === 'open'));
  // `readDurableTexts` returns the type of an event without content, such as an end.
  const countEnds = async ({ sessionId }: Conversation): Promise<number> =>
    [...(await readDurableTexts(stack.database.dataSource, sessionId)).values()].filter(
      (text) => text === 'ChatEnded',
    ).length;
  const waitForEnd = ({ sockets }: Conversation) => sockets[1].next('chat_skipped');
  const expectFull = async () => {
    await expect(ownRedis.redis.set('one more key', 'x')).rejects.toThrow('OOM');
  };
  /** Starts three chats, fills Redis, and ends the chats: by a skip, a clean close and a lost connection. */
  const endChatsInFullRedis = async () => {
    const [skipped, left, lost] = [
      await startConversation(),
      await startConversation(),
      await startConversation(),
    ];
    await fillRedis(ownRedis.redis);
    await expectFull();
    await skipped.sockets[0].request('skip_chat', { sessionId: skipped.sessionId });
    await left.sockets[0].closeCleanly();
    await lost.sockets[0].terminate();
    for (const chat of [skipped, left, lost]) await waitForEnd(chat);
    return { skipped, left, lost };
  };

  beforeAll(async () => {
    ownRedis = await startOwnRedis();
    stack = await startTestStack(0, {
      REDIS_URL: ownRedis.url,
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: '800', // short, so that a lost connection soon ends the chat
    });
    postgres = await startCuttableLink(stack.database.url);
    await stack.addReplica({ DATABASE_URL: postgres.url });
    await stack.startWorker({ DATABASE_URL: postgres.url });
  });
  afterEach(async () => {
    await postgres.restore();
    await ownRedis.redis.config('SET', 'maxmemory', '0');
    await ownRedis.redis.del('ballast'); // the key of `fillRedis`
    await waitUntilPersisted();
    await waitForValve('open');
  });
  afterAll(async () => {
    await stack.close();
    await postgres.close();
    await ownRedis.close();
  });

  it('messages are refused as unavailable, and the outboxes are drained once PostgreSQL is reachable', async () => {
    const chat = await startConversation();
    await waitUntilPersisted();
    await postgres.cut();
    for (let count = 0; count < 10; count += 1) expect(await chat.send(0, 'stored')).toBe(true);
    // With one byte, Redis refuses every command that needs memory.
    await ownRedis.redis.config('SET', 'maxmemory', '1');
    expect(await chat.send(0, 'one more')).toBe(false); // answered `unavailable`
    expect(await countBacklog()).toBe(10);
    await postgres.restore();
    await waitUntilPersisted();
    expect(await findLostAndDuplicateMessages(stack.database.dataSource, [chat])).toEqual([]);
    // Redis has not been given more memory in the meantime.
    expect((await ownRedis.redis.info('memory')).includes('maxmemory:1\r')).toBe(true);
  });

  it('messages are refused before the memory is used up, and the outboxes are drained without loss', async () => {
    const chats: Conversation[] = [];
    for (let count = 0; count < PAIRS; count += 1) chats.push(await startConversation());
    await waitUntilPersisted();
    const maxMemory = (await readUsedBytes(ownRedis.redis)) + FREE_BYTES;
    await ownRedis.redis.config('SET', 'maxmemory', `${maxMemory}`);
    await postgres.cut();

    const isValveClosed = () => !getValve().isOpen;
    await sendMessages(chats, { perSecond: MESSAGES_PER_SECOND, text: TEXT, isOver: isValveClosed });
    expect(await readUsedBytes(ownRedis.redis)).toBeLessThan(maxMemory);
    const backlogWhenClosed = await countBacklog();
    const countAcknowledged = () => chats.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    const acknowledgedWhenClosed = countAcknowledged();
    // The backlog may also contain messages that were not acknowledged, because the reply of Redis came too late.
    expect(backlogWhenClosed).toBeGreaterThanOrEqual(acknowledgedWhenClosed);

    const sendUntil = performance.now() + SEND_WHILE_CLOSED_MS;
    await sendMessages(chats, { perSecond: PAIRS, text: TEXT, isOver: () => performance.now() > sendUntil });
    expect(chats.every(({ refusals }) => refusals > 0)).toBe(true);
    expect(countAcknowledged()).toBe(acknowledgedWhenClosed);
    expect(await countBacklog()).toBe(backlogWhenClosed);
    expect(isValveClosed()).toBe(true);

    await postgres.restore();
    await waitUntilPersisted();
    await waitForValve('open');
    for (const chat of chats) expect(await chat.send(1, 'as before')).toBe(true);
    await waitUntilPersisted();
    expect(await findLostAndDuplicateMessages(stack.database.dataSource, chats)).toEqual([]);
    expectOrderedSeq(chats.flatMap(({ sockets }) => sockets));
  });

  it('skips, clean closes and lost connections end chats while every other write is refused', async () => {
    const { skipped, left, lost } = await endChatsInFullRedis();
    expect(await waitForEnd(skipped)).toMatchObject({
      reason: 'skipped',
      endedBy: skipped.visitors[0].user.id,
    });
    expect(await waitForEnd(left)).toMatchObject({ reason: 'disconnected' });
    expect(await waitForEnd(lost)).toMatchObject({ reason: 'disconnected' });
    // A second skip does not end the chat again.
    await skipped.sockets[1].request('skip_chat', { sessionId: skipped.sessionId });
    await waitUntilPersisted();
    for (const chat of [skipped, left, lost]) expect(await countEnds(chat)).toBe(1);
    await expectFull();
  });

  it('users whose chat has ended cannot search, and are matched again once Redis has free memory', async () => {
    const { skipped, left, lost } = await endChatsInFullRedis();
    await waitUntilPersisted();
    const search = await skipped.sockets[0].ask('join_queue', {});
    expect(search).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
    await expectFull();

    await ownRedis.redis.config('SET', 'maxmemory', '0');
    await waitForValve('open');
    // In the chats `left` and `lost`, only the second user still has a socket.
    const openSockets = [skipped.sockets[0], skipped.sockets[1], left.sockets[1], lost.sockets[1]];
    for (const socket of openSockets) await socket.request('join_queue', {});
    await Promise.all(openSockets.map((socket) => until(() => socket.all('chat_matched').length === 2)));
  });
});
