// Runs against real api replicas, PostgreSQL, Redis and sockets. Covers resuming, and also the presence, images, memory
// valve, leaving of the queue and released matches of sockets in a random chat on two replicas.
//
// Methods of the test sockets:
// - `request` sends a frame and returns the data of the answer. It throws if the answer is an error.
// - `ask` sends a frame and returns the answer, even if it is an error.
// - `next` waits for a frame and leaves it in the list of received frames, so it may return the same frame again.
// - `take` waits for a frame and removes it from the list.
import type { Redis } from 'ioredis';
import { limits } from '@thaw/contract/limits';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import { findShard, chatKeys, matchingKeys } from '../../../platform/redis/redis.keys';
import { REDIS } from '../../../platform/redis/redis.module';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import {
  matchNewVisitors,
  textMessage,
  type ThawSocket,
  type ThawVisitor,
} from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { UploadsService } from '../../uploads/application/uploads.service';

jest.setTimeout(60_000);

const IMAGE_MARKER = '[IMAGE:/api/files/chat-images/01234567-89ab-cdef-0123-456789abcdef.webp]';

describe('a socket in a random chat', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, {
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: '2000',
    });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  /** Sweeps end abandoned chats. A replica sweeps only after it has been up for some seconds. */
  const waitUntilSweepsRun = () =>
    until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
  /** Starts a chat of Ada, on the first replica, and Bob, on the second. */
  const startChat = () => matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
  /**
   * Records the stream reads that the replica sends to Redis.
   * @returns a function that lists the commands of the recorded reads.
   */
  const recordStreamReads = (replica: number): (() => string[]) => {
    const redis = stack.replicas[replica]!.app.get<Redis>(REDIS);
    const calls = jest.spyOn(redis, 'sendCommand').mock.calls;
    return () => calls.map(([{ name }]) => name).filter((name) => /^x(rev)?range$/.test(name));
  };
  /** Opens another tab of a user in a chat, on the first replica. */
  const openTab = async (visitor: ThawVisitor, sessionId: string, { showsChat }: { showsChat: boolean }) => {
    const tab = await visitor.openUnauthenticatedSocket(stack.origins[0]);
    const lastSeen = { sessionId, seq: 1 };
    await tab.request('authenticate', { userId: visitor.user.id, lastSeen, showsChat });
    await tab.next('session_resumed');
    return tab;
  };
  const showChat = (socket: ThawSocket, sessionId: string, showsChat: boolean) =>
    socket.request('show_chat', { sessionId, showsChat });
  /**
   * Replaces `share`, which grants the partner access to the images of a message. The real one would fail, because
   * `IMAGE_MARKER` names no uploaded image.
   */
  const fakeShare = () =>
    jest.spyOn(stack.replicas[0]!.app.get(UploadsService), 'share').mockResolvedValue(undefined);
  const askToSend = (socket: ThawSocket, sessionId: string, lines: string[], clientId?: string) =>
    socket.ask('random_message', { sessionId, content: lines.join('\n'), messageType: 'mixed', clientId });

  it('resumes on another replica with at most two reads of the stream', async () => {
    const { ada, adaSocket, sessionId } = await startChat();
    const messageCount = 20;
    for (let count = 0; count < messageCount; count += 1)
      await adaSocket.request('random_message', textMessage(sessionId, 'x'));
    await adaSocket.closeCleanly();
    const listReads = recordStreamReads(1);
    const newSocket = await ada.openSocket(stack.origins[1], { sessionId, seq: 5 });
    await newSocket.next('session_resumed');
    expect(listReads().length).toBeLessThanOrEqual(2);
    // The start of the chat has the `seq` 1. `last` marks the last page of missed events; here it is the only one.
    expect(newSocket.all('session_resumed')).toMatchObject([{ seq: 1 + messageCount, last: true }]);
  });

  it('makes the replica read only the first and last event of a chat that ended before the reconnect', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await startChat();
    await adaSocket.terminate(); // a lost connection; the chat continues during the grace period
    await bobSocket.request('skip_chat', { sessionId });
    const listReads = recordStreamReads(1);
    const newSocket = await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
    expect(await newSocket.next('chat_skipped')).toMatchObject({ sessionId, seq: 2, reason: 'skipped' });
    expect(listReads()).toEqual(['xrange', 'xrevrange']);
  });

  it('receives every event, even while only another tab of its user shows the chat', async () => {
    const { bob, adaSocket, bobSocket, sessionId } = await startChat();
    const tab = await openTab(bob, sessionId, { showsChat: true });
    await showChat(bobSocket, sessionId, false);
    await adaSocket.request('random_message', textMessage(sessionId, 'to both'));
    for (const socket of [bobSocket, tab])
      expect(await socket.next('random_message')).toMatchObject({ seq: 2 });
  });

  it('counts as the presence of a user in the chat only while the page of the socket shows the chat', async () => {
    await waitUntilSweepsRun();
    const { bob, adaSocket, bobSocket, sessionId } = await startChat();
    const tab = await openTab(bob, sessionId, { showsChat: false });
    expect(await showChat(bobSocket, sessionId, false)).toEqual({});
    expect(await adaSocket.take('partner_connection')).toEqual({ sessionId, state: 'reconnecting' });
    await showChat(tab, sessionId, true);
    expect(await adaSocket.take('partner_connection')).toEqual({ sessionId, state: 'connected' });

    // When no socket of Bob shows the chat, it ends after the grace period.
    await showChat(tab, sessionId, false);
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
    for (const socket of [tab, adaSocket]) await socket.next('chat_skipped');
    // `show_chat` is acknowledged even after the end of the chat.
    expect(await showChat(tab, sessionId, true)).toEqual({});
  });

  it('refuses show_chat for a chat of other users', async () => {
    const { sessionId } = await startChat();
    const eveSocket = await (await stack.createVisitor(0, 'female')).openSocket();
    expect(await eveSocket.ask('show_chat', { sessionId, showsChat: true })).toMatchObject({
      event: 'error',
      data: { code: 'not_in_session' },
    });
  });

  it('does not share the images of a message that is refused', async () => {
    const { adaSocket, bobSocket, sessionId } = await startChat();
    const share = fakeShare();
    const tooLong = 'x'.repeat(limits.messageMaxCodePoints + 1);
    expect(await askToSend(adaSocket, sessionId, [tooLong, IMAGE_MARKER])).toMatchObject({
      data: { code: 'message_too_long' },
    });
    const tooManyMarkers = Array.from({ length: limits.imagesPerMessage + 1 }, () => IMAGE_MARKER);
    expect(await askToSend(adaSocket, sessionId, ['look', ...tooManyMarkers])).toMatchObject({
      data: { code: 'invalid_payload' },
    });
    await bobSocket.request('skip_chat', { sessionId });
    await adaSocket.next('chat_skipped');
    expect(await askToSend(adaSocket, sessionId, ['look', IMAGE_MARKER])).toMatchObject({
      data: { code: 'session_ended' },
    });
    expect(share).not.toHaveBeenCalled();
  });

  it('shares the image of a message once, even if the message is sent again', async () => {
    const { adaSocket, sessionId } = await startChat();
    const share = fakeShare();
    const ack = await askToSend(adaSocket, sessionId, ['look', IMAGE_MARKER], 'c-1');
    expect(ack.event).toBe('ack');
    expect(share).toHaveBeenCalledTimes(1);
    expect(await askToSend(adaSocket, sessionId, ['look', IMAGE_MARKER], 'c-1')).toMatchObject({
      event: 'ack',
      data: ack.data,
    });
    expect(share).toHaveBeenCalledTimes(1);
  });

  it('can end a chat while Redis is nearly full, but not send messages or search', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await startChat();
    const ack = await adaSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'));
    // The memory valve closes when Redis is nearly full.
    const memoryValve = stack.replicas[0]!.app.get(MemoryValveService);
    jest.spyOn(memoryValve, 'requireOpen').mockImplementation(() => {
      throw new DomainError('unavailable');
    });
    const refusal = { event: 'error', data: { code: 'unavailable' } };
    expect(await adaSocket.ask('random_message', textMessage(sessionId, 'two'))).toMatchObject(refusal);
    // A retried message needs no memory.
    expect(await adaSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'))).toEqual(ack);
    const reaction = { sessionId, messageId: String(ack.id), userId: ada.user.id, action: 'add' as const };
    expect(await adaSocket.ask('message_reaction', { ...reaction, emoji: '🔥' })).toMatchObject(refusal);
    expect(await adaSocket.request('skip_chat', { sessionId })).toEqual({ seq: 3 });
    await bobSocket.next('chat_skipped');
    expect(await adaSocket.ask('join_queue', {})).toMatchObject(refusal);
  });

  it('receives no queue_left when another tab of the user sends leave_queue during the chat', async () => {
    const { ada, adaSocket, sessionId } = await startChat();
    const tab = await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
    // `session_resumed` contains the earlier messages. Each message that is sent after it arrives as `random_message`.
    await tab.next('session_resumed');
    // Shortly after a match, leave_queue counts as a skip. The match is made to look old, so the chat continues.
    await stack.store.redis.hset(matchingKeys.user(ada.user.id), 'claimedAt', '1');
    await adaSocket.request('leave_queue', {});
    await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
    await tab.next('random_message');
    expect(tab.all('queue_left')).toEqual([]);
  });

  it('receives nothing of a chat whose match was released, and the chat is aborted', async () => {
    await waitUntilSweepsRun();
    // Bob searches after Ada, so Bob's replica makes the match. The fake `confirm` stands for a replica that dies
    // before it confirms the match, which is then released.
    const matching = stack.replicas[1]!.app.get(MatchQueueService);
    let sessionId = '';
    jest.spyOn(matching, 'confirm').mockImplementationOnce(async (match) => {
      ({ sessionId } = match);
      await matching.release(match);
      throw new Error('The replica that made the match died');
    });
    const adaSocket = await (await stack.createVisitor(0, 'female')).openSocket();
    const bobSocket = await (await stack.createVisitor(1, 'male')).openSocket();
    await adaSocket.request('join_queue', { preferences: 'male' });
    // `ask`, because the answer may be an error: the fake `confirm` throws.
    await bobSocket.ask('join_queue', { preferences: 'female' });
    await until(() => sessionId);
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    const entries = await until(
      () => stack.store.redis.xrange(stream, '-', '+'),
      ({ length }) => length === 2, // the start and the end
    );
    expect(entries[1]?.[1].join(' ')).toContain('"reason":"aborted"');
    for (const socket of [adaSocket, bobSocket]) {
      expect(socket.frames.filter(({ data }) => data?.sessionId === sessionId)).toEqual([]);
      await socket.closeCleanly();
    }
  });
});
