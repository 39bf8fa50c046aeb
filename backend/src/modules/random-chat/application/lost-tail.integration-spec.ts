// Runs against real api replicas, PostgreSQL, Redis and sockets. Stream entries are deleted to simulate a Redis that
// has lost the end of its append-only file. The end of a stream is called its tail. Of the two ways to send a frame,
// `request` throws when the answer is an error, and `ask` returns it.
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { toOutboxEntry } from '../../../platform/hot-log/outbox.repository';
import { findShard, chatKeys, matchingKeys } from '../../../platform/redis/redis.keys';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { type ThawSocket, ThawVisitor, matchNewVisitors, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { decodeWrittenEvent } from './chat-event.codec';
import { LiveChatService } from './live-chat.service';

jest.setTimeout(60_000);

type TestChat = Awaited<ReturnType<typeof matchNewVisitors>>;

/** Version (number of events) of a chat from `startChat`: its start and three messages. */
const VERSION_AFTER_START = 4;

/** Returns the content of a message, or the type of another event. */
const describeEvent = ({ text }: { text: string }): unknown => {
  const { type, data } = decodeWrittenEvent(text);
  return data.content ?? type;
};

describe('a chat whose tail Redis has lost', () => {
  let stack: TestStack;

  beforeAll(async () => {
    // Users can be matched again at once.
    stack = await startTestStack(2, { REMATCH_COOLDOWN_S: '0', REMATCH_RELAX_AFTER_S: '0' });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const getStreamKey = (sessionId: string): string => chatKeys(findShard(sessionId)).stream(sessionId);
  /** Key of a user's record in matching, which contains their state and their chat. */
  const getRecordKey = ({ user }: ThawVisitor): string => matchingKeys.user(user.id);
  /** Reads the state of a user: `searching`, `claimed` (matched, not chatting yet) or `chatting`; null if idle. */
  const readState = (visitor: ThawVisitor): Promise<string | null> =>
    stack.store.redis.hget(getRecordKey(visitor), 'state');

  /** Starts a chat of two users on different replicas, and sends three messages. */
  const startChat = async (): Promise<TestChat> => {
    const chat = await matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
    for (const content of ['one', 'two', 'three'])
      await chat.adaSocket.request('random_message', textMessage(chat.sessionId, content));
    await until(() => chat.bobSocket.getLastSeq(chat.sessionId) === VERSION_AFTER_START);
    return chat;
  };

  /** Simulates a restart of Redis after which it has only the first `keptCount` entries. */
  const truncateStream = async (sessionId: string, keptCount: number): Promise<void> => {
    const entries = await stack.store.redis.xrange(getStreamKey(sessionId), '-', '+');
    const transaction = stack.store.redis.multi().del(getStreamKey(sessionId));
    for (const [id, fields] of entries.slice(0, keptCount))
      transaction.xadd(getStreamKey(sessionId), id, ...fields);
    await transaction.exec();
  };

  /** Calls the private method that compares chats with Redis. Each replica calls it every five seconds. */
  const compareVersionsOn = (replica: number): Promise<void> =>
    stack.replicas[replica]!.app.get<{ compareVersions(): Promise<void> }>(LiveChatService).compareVersions();

  const expectEndForBoth = async ({ ada, bob, adaSocket, bobSocket, sessionId }: TestChat): Promise<void> => {
    for (const socket of [adaSocket, bobSocket]) {
      expect(await socket.next('chat_skipped')).toMatchObject({ sessionId, reason: 'disconnected' });
    }
    await until(async () => (await readState(ada)) === null && (await readState(bob)) === null);
    const [lastEntry] = await stack.store.redis.xrevrange(getStreamKey(sessionId), '+', '-', 'COUNT', 1);
    expect(lastEntry?.[1].join(' ')).toContain('ChatEnded');
  };

  it('continues for both users when both replicas restore it at the same time', async () => {
    // Several chats, because the order in which the replicas restore a chat varies.
    const chats: TestChat[] = [];
    for (let count = 0; count < 20; count += 1) chats.push(await startChat());
    for (const { sessionId } of chats) await truncateStream(sessionId, 3);
    await Promise.all([compareVersionsOn(0), compareVersionsOn(1)]);
    for (const { ada, bob, adaSocket, bobSocket, sessionId } of chats) {
      expect(await bobSocket.request('random_message', textMessage(sessionId, 'four'))).toMatchObject({
        seq: VERSION_AFTER_START + 1,
      });
      await until(() => adaSocket.getLastSeq(sessionId) === VERSION_AFTER_START + 1);
      for (const socket of [adaSocket, bobSocket]) {
        expect(socket.all('chat_skipped')).toEqual([]);
        expect(socket.seqViolations).toEqual([]);
      }
      expect([await readState(ada), await readState(bob)]).toEqual(['chatting', 'chatting']);
      const entries = await stack.replicas[0]!.app.get(ChatLogRepository).read(sessionId);
      expect(entries.map(describeEvent)).toEqual(['ChatStarted', 'one', 'two', 'three', 'four']);
    }
  });

  it('continues when both users send while replicas compare versions', async () => {
    // Several rounds, because the order of the four calls varies.
    for (let round = 0; round < 10; round += 1) {
      const { adaSocket, bobSocket, sessionId } = await startChat();
      await truncateStream(sessionId, 2);
      await Promise.all([
        compareVersionsOn(round % 2),
        adaSocket.request('random_message', textMessage(sessionId, 'from Ada')),
        bobSocket.request('random_message', textMessage(sessionId, 'from Bob')),
        compareVersionsOn(1 - (round % 2)),
      ]);
      await until(() =>
        [adaSocket, bobSocket].every((socket) => socket.getLastSeq(sessionId) === VERSION_AFTER_START + 2),
      );
      expect([...adaSocket.seqViolations, ...bobSocket.seqViolations]).toEqual([]);
      expect([...adaSocket.all('chat_skipped'), ...bobSocket.all('chat_skipped')]).toEqual([]);
    }
  });

  it('ends for both users when other entries were appended to the stream after the loss', async () => {
    const chat = await startChat();
    await truncateStream(chat.sessionId, 3);
    // With two other entries after the three that are left, the stream is longer than before (4 entries), so its length
    // does not show the loss. An entry contains the id (`i`), the type (`t`) and the data (`d`) of its event.
    const text = JSON.stringify({ i: 'other', t: 'MessageSent', d: { content: 'instead', senderId: 1 } });
    await stack.store.redis.xadd(getStreamKey(chat.sessionId), '*', 'event', text);
    await stack.store.redis.xadd(getStreamKey(chat.sessionId), '*', 'event', text);
    expect(await chat.adaSocket.ask('random_message', textMessage(chat.sessionId, 'four'))).toMatchObject({
      event: 'error',
      data: { code: 'session_ended' },
    });
    await compareVersionsOn(1);
    await expectEndForBoth(chat);
  });

  it('is not restored again when the stream stays shorter than the copy of the replica that has ended it', async () => {
    const { adaSocket, sessionId } = await startChat();
    await truncateStream(sessionId, 2);
    const text = JSON.stringify({ i: 'other', t: 'MessageSent', d: { content: 'instead', senderId: 1 } });
    await stack.store.redis.xadd(getStreamKey(sessionId), '*', 'event', text);
    await compareVersionsOn(0);
    expect(await adaSocket.next('chat_skipped')).toMatchObject({ sessionId, reason: 'disconnected' });
    // Each restoration reads the stream.
    const read = jest.spyOn(stack.replicas[0]!.app.get(ChatLogRepository), 'read');
    await compareVersionsOn(0);
    expect(read).not.toHaveBeenCalledWith(sessionId);
  });

  it('ends for both users, with all events in the outbox, when its whole stream and outbox are lost', async () => {
    const chat = await startChat();
    const { outbox } = chatKeys(findShard(chat.sessionId));
    await stack.store.redis.del(getStreamKey(chat.sessionId), outbox);
    await Promise.all([compareVersionsOn(0), compareVersionsOn(1)]);
    await expectEndForBoth(chat);
    expect([...chat.adaSocket.seqViolations, ...chat.bobSocket.seqViolations]).toEqual([]);
    const rows = await stack.store.redis.xrange(outbox, '-', '+');
    const entries = rows
      .map((row) => toOutboxEntry(findShard(chat.sessionId), row))
      .filter(({ sessionId }) => sessionId === chat.sessionId);
    expect(entries.map(describeEvent)).toEqual(['ChatStarted', 'one', 'two', 'three', 'ChatEnded']);
  });

  describe('including its acknowledged end', () => {
    /** Lets Ada skip the chat, and then resets the stream and both users' records to their state before the skip. */
    const loseEnd = async (chat: TestChat): Promise<void> => {
      const { ada, bob, adaSocket, bobSocket, sessionId } = chat;
      const records = await Promise.all(
        [ada, bob].map((visitor) => stack.store.redis.hgetall(getRecordKey(visitor))),
      );
      await adaSocket.request('skip_chat', { sessionId });
      await bobSocket.next('chat_skipped');
      await until(async () => (await readState(ada)) === null && (await readState(bob)) === null);
      await truncateStream(sessionId, VERSION_AFTER_START);
      await stack.store.redis.hset(getRecordKey(ada), records[0]!);
      await stack.store.redis.hset(getRecordKey(bob), records[1]!);
    };

    const listEndIds = async (sessionId: string): Promise<string[]> => {
      const entries = await stack.store.redis.xrange(getStreamKey(sessionId), '-', '+');
      return entries.flatMap(([id, [, text = '']]) => (text.includes('ChatEnded') ? [id] : []));
    };

    it('is ended again for both users, by one event, when replicas compare versions', async () => {
      const chat = await startChat();
      await loseEnd(chat);
      await Promise.all([compareVersionsOn(0), compareVersionsOn(1)]);
      expect(await listEndIds(chat.sessionId)).toHaveLength(1);
      expect([await readState(chat.ada), await readState(chat.bob)]).toEqual([null, null]);
      for (const socket of [chat.adaSocket, chat.bobSocket]) expect(socket.seqViolations).toEqual([]);
    });

    it('does not prevent its users from starting a new search', async () => {
      const chat = await startChat();
      await loseEnd(chat);
      expect(await chat.adaSocket.ask('join_queue', { preferences: 'both' })).toMatchObject({ event: 'ack' });
      expect(await listEndIds(chat.sessionId)).toHaveLength(1);
      expect(await readState(chat.bob)).toBeNull();
      await chat.adaSocket.request('leave_queue', {}); // users of later tests must not be matched with Ada
    });
  });

  describe('together with the records of its users', () => {
    /** Deletes the records of both users and, for `chat and records`, also the stream of the chat. */
    const loseRecords = async (
      { ada, bob, sessionId }: TestChat,
      lostData: 'chat and records' | 'records only',
    ) => {
      if (lostData === 'chat and records') await stack.store.redis.del(getStreamKey(sessionId));
      await stack.store.redis.del(getRecordKey(ada), getRecordKey(bob));
    };

    /** Puts a user into the queue without a frame from their page. */
    const queueDirectly = ({ user }: ThawVisitor) =>
      stack.replicas[0]!.app.get(MatchQueueService).join(user.id, user.gender!, 'both');

    const listStartsAndEnds = (socket: ThawSocket): string[] =>
      socket.frames.flatMap(({ event, data }) =>
        event === 'chat_matched' || event === 'chat_skipped' ? [`${event} ${String(data.sessionId)}`] : [],
      );

    it.each(['chat and records', 'records only'] as const)(
      'ends for both users, and before the next chat of one of them starts, when Redis has lost the %s',
      async (lostData) => {
        const chat = await startChat();
        const { ada, adaSocket, bobSocket, sessionId } = chat;
        await loseRecords(chat, lostData);
        await queueDirectly(ada);
        const carol = await new ThawVisitor([stack.origins[1]!]).joinAnonymously('male');
        const carolSocket = await carol.openSocket();
        await carolSocket.request('join_queue', { preferences: 'both' });
        const { sessionId: nextSessionId } = await carolSocket.next('chat_matched');
        await until(() => adaSocket.getLastSeq(String(nextSessionId)) === 1);
        expect(listStartsAndEnds(adaSocket)).toEqual([
          `chat_matched ${sessionId}`,
          `chat_skipped ${sessionId}`,
          `chat_matched ${String(nextSessionId)}`,
        ]);
        expect(await bobSocket.next('chat_skipped')).toMatchObject({ sessionId, reason: 'disconnected' });
        expect(adaSocket.seqViolations).toEqual([]);
        await adaSocket.request('skip_chat', { sessionId: String(nextSessionId) });
      },
    );

    it('is ended when one of its users reconnects', async () => {
      const chat = await startChat();
      const { ada, bobSocket, sessionId } = chat;
      await loseRecords(chat, 'records only');
      await ada.closeSockets();
      const newSocket = await ada.openSocket(stack.origins[0], { sessionId, seq: VERSION_AFTER_START });
      for (const socket of [newSocket, bobSocket])
        expect(await socket.next('chat_skipped')).toMatchObject({ sessionId, reason: 'disconnected' });
    });
  });

  it('is restored when a user reconnects after the sockets of both users have closed', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
    await Promise.all([ada.closeSockets(), bob.closeSockets()]);
    await truncateStream(sessionId, 2);
    const newSocket = await bob.openSocket(stack.origins[1], { sessionId, seq: VERSION_AFTER_START });
    const resumePage = await newSocket.next('session_resumed');
    expect(resumePage).toMatchObject({ seq: VERSION_AFTER_START, events: [] });
    expect(resumePage).not.toHaveProperty('reset');
    expect([...adaSocket.seqViolations, ...bobSocket.seqViolations, ...newSocket.seqViolations]).toEqual([]);
  });

  it('is retained by its replica after its end, and dropped by a later comparison with Redis', async () => {
    const { adaSocket, sessionId } = await startChat();
    await adaSocket.request('skip_chat', { sessionId });
    // Redis has not lost anything yet. Ada's replica no longer serves the chat. It retains a copy, from which it could
    // restore the end, until Redis has certainly synced the end to disk.
    const tails = stack.replicas[0]!.app.get<{ tails: { retained: Map<string, unknown> } }>(
      LiveChatService,
    ).tails;
    expect(tails.retained.has(sessionId)).toBe(true);
    await until(async () => {
      await compareVersionsOn(0);
      return !tails.retained.has(sessionId);
    });
  });

  it('is not ended when restoring it times out, and is restored later', async () => {
    const { adaSocket, bobSocket, sessionId } = await startChat();
    await truncateStream(sessionId, 3);
    const log = stack.replicas[0]!.app.get(ChatLogRepository);
    const timeout = new Error('Command timed out');
    const restore = jest.spyOn(log, 'restore').mockRejectedValue(timeout);
    await compareVersionsOn(0);
    expect(restore).toHaveBeenCalled();
    restore.mockRestore();
    await compareVersionsOn(0);
    expect(await adaSocket.request('random_message', textMessage(sessionId, 'four'))).toMatchObject({
      seq: VERSION_AFTER_START + 1,
    });
    await until(() => bobSocket.getLastSeq(sessionId) === VERSION_AFTER_START + 1);
    expect(bobSocket.seqViolations).toEqual([]);
  });

  it('is sent again from the start to a client that has seen events which Redis and all replicas have lost', async () => {
    const { bob, sessionId } = await startChat();
    // The client claims to have seen six more events than there are.
    const newSocket = await bob.openUnauthenticatedSocket(stack.origins[1]);
    newSocket.send({
      event: 'authenticate',
      data: { userId: bob.user.id, lastSeen: { sessionId, seq: VERSION_AFTER_START + 6 } },
    });
    const resumePage = await newSocket.next('session_resumed');
    expect(resumePage).toMatchObject({ reset: true, seq: VERSION_AFTER_START, last: true });
    const events = resumePage.events as { data: { seq: number; content?: string } }[];
    expect(events.map(({ data }) => [data.seq, data.content])).toEqual([
      [1, undefined],
      [2, 'one'],
      [3, 'two'],
      [4, 'three'],
    ]);
    expect(await newSocket.request('random_message', textMessage(sessionId, 'four'))).toMatchObject({
      seq: VERSION_AFTER_START + 1,
    });
    const nextSocket = await bob.openSocket(stack.origins[1], { sessionId, seq: VERSION_AFTER_START + 1 });
    expect(await nextSocket.next('session_resumed')).not.toHaveProperty('reset');
  });
});
