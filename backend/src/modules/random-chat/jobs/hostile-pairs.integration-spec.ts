// Runs against a real api replica and worker in this process, users' sockets, PostgreSQL, and a separate Redis that
// hostile users fill. Before Redis is full, the memory valve of a replica closes: new chats and messages are then
// refused. The long form (THAW_TEST_LONG=1) has a larger Redis, and waits until the streams of the attack expire. The
// short form expires them itself.
import { OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import { chatStreams } from '../../../platform/redis/redis.keys';
import {
  Conversation,
  findLostAndDuplicateMessages,
  sendMessages,
} from '../../../testing/conversation.driver';
import { HostileUser } from '../../../testing/hostile-user.driver';
import { type OwnRedis, startOwnRedis, readUsedBytes } from '../../../testing/own-redis.harness';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { ThawVisitor } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MIB = 1024 * 1024;
/** Memory that is free when the attack starts. */
const FREE_BYTES = (isLongRun ? 64 : 12) * MIB;
const HOSTILE_PAIRS = 6;
/** Chats of other users: three end during the attack, one stays open. */
const HONEST_CHATS = 4;
/** Reply of PTTL for a key that does not expire. */
const NO_EXPIRY = -1;

jest.setTimeout(isLongRun ? 15 * 60_000 : 120_000);

describe('while hostile users fill Redis', () => {
  let ownRedis: OwnRedis;
  let stack: TestStack;
  let maxMemory: number;
  let honestChats: Conversation[];
  let hostileUsers: HostileUser[];

  const getOrigin = () => stack.origins[0] ?? '';
  const isValveClosed = () => !stack.replicas[0]!.app.get(MemoryValveService).isOpen;
  const readBacklog = async () => (await new OutboxRepository(ownRedis.redis).measureBacklog()).length;
  const waitUntilPersisted = () => until(readBacklog, (length) => length === 0, 60_000);
  /** `chat_skipped` reports every end of a chat, with its reason. */
  const waitForEnd = ({ sockets }: Conversation) => sockets[1].next('chat_skipped');
  const readTtls = async () =>
    Promise.all((await ownRedis.redis.keys(chatStreams.pattern)).map((key) => ownRedis.redis.pttl(key)));
  /** Expires a key at once if it has an expiry, as if a minute had passed. */
  const expireNow = async (key: string): Promise<void> => {
    if ((await ownRedis.redis.pttl(key)) > 0) await ownRedis.redis.pexpire(key, 1);
  };

  beforeAll(async () => {
    ownRedis = await startOwnRedis();
    stack = await startTestStack(1, {
      REDIS_URL: ownRedis.url,
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: '800', // short, so that a lost connection soon ends the chat
    });
    await stack.startWorker();
    honestChats = [];
    for (let count = 0; count < HONEST_CHATS; count += 1)
      honestChats.push(await Conversation.start(getOrigin()));
    hostileUsers = [];
    for (let count = 0; count < 2 * HOSTILE_PAIRS; count += 1) {
      const visitor = await new ThawVisitor([getOrigin()]).joinAnonymously(
        count % 2 === 0 ? 'female' : 'male',
      );
      hostileUsers.push(await HostileUser.connect(visitor));
    }
    maxMemory = (await readUsedBytes(ownRedis.redis)) + FREE_BYTES;
    await ownRedis.redis.config('SET', 'maxmemory', `${maxMemory}`);
  });
  afterAll(async () => {
    await stack.close();
    await ownRedis.close();
  });

  it('the memory valve closes before Redis is full', async () => {
    await Promise.all([
      sendMessages(honestChats, { perSecond: 20, text: 'hello', isOver: isValveClosed }),
      ...hostileUsers.map((user) => user.attack({ pauseMs: 200, isOver: isValveClosed })),
    ]);
    const peak = Number(/^used_memory_peak:(\d+)/m.exec(await ownRedis.redis.info('memory'))?.[1]);
    expect(peak).toBeLessThan(maxMemory);
    expect(honestChats.every(({ acknowledged }) => acknowledged.size > 0)).toBe(true);
    /** For each hostile user, the number of chats in which they had a message acknowledged. */
    const chatCounts = hostileUsers.map(({ acknowledged: messagesByChat }) => messagesByChat.size);
    const averageChatCount = chatCounts.reduce((sum, count) => sum + count, 0) / hostileUsers.length;
    expect(averageChatCount).toBeGreaterThan(1); // skipping has led to new chats
  });

  it('other users can still skip and leave their chats, but their new searches are refused', async () => {
    const [skipped, left, lost] = honestChats as [Conversation, Conversation, Conversation];
    await skipped.sockets[0].request('skip_chat', { sessionId: skipped.sessionId });
    await left.sockets[0].closeCleanly();
    await lost.sockets[0].terminate();
    expect(await waitForEnd(skipped)).toMatchObject({ reason: 'skipped' });
    expect(await waitForEnd(left)).toMatchObject({ reason: 'disconnected' });
    expect(await waitForEnd(lost)).toMatchObject({ reason: 'disconnected' });
    // Unlike `request`, `ask` does not throw for an error.
    const search = await skipped.sockets[0].ask('join_queue', {});
    expect(search).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
    expect(isValveClosed()).toBe(true);
  });

  it('the streams get an expiry of at most a minute, after which the memory valve opens again', async () => {
    await Promise.all(hostileUsers.map(({ socket }) => socket.terminate()));
    await waitUntilPersisted();
    // Only the chat that is still open has no expiry.
    await until(readTtls, (ttls) => ttls.filter((ttl) => ttl === NO_EXPIRY).length === 1, 30_000);
    // While Redis is short of memory, the worker shortens expiries to a minute.
    const isAtMostAMinute = (ttl: number) => ttl === NO_EXPIRY || ttl <= 60_000;
    await until(readTtls, (ttls) => ttls.every(isAtMostAMinute), 30_000);
    if (!isLongRun) {
      for (const key of await ownRedis.redis.keys(chatStreams.pattern)) await expireNow(key);
    }
    await until(isValveClosed, (isClosed) => !isClosed, 90_000);
  });

  it('no acknowledged message is lost', async () => {
    const [skipped, , , open] = honestChats as [Conversation, Conversation, Conversation, Conversation];
    expect(await open.send(0, 'still here')).toBe(true);
    // The users of a chat that has ended can be matched again: each socket receives a second `chat_matched`.
    for (const socket of skipped.sockets) await socket.request('join_queue', {});
    await Promise.all(skipped.sockets.map((socket) => until(() => socket.all('chat_matched').length === 2)));
    await waitUntilPersisted();
    const hostileChats = hostileUsers.flatMap(({ acknowledged }) =>
      [...acknowledged].map(([sessionId, messages]) => ({ sessionId, acknowledged: messages })),
    );
    expect(hostileChats.length).toBeGreaterThan(0);
    expect(
      await findLostAndDuplicateMessages(stack.database.dataSource, [...honestChats, ...hostileChats]),
    ).toEqual([]);
  });
});
