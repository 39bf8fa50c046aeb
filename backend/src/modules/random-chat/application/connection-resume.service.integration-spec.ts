// Runs against real api replicas, PostgreSQL, Redis and sockets.
import type { Redis } from 'ioredis';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { REDIS } from '../../../platform/redis/redis.module';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { UploadsService } from '../../uploads/application/uploads.service';

jest.setTimeout(60_000);

const IMAGE = '/api/files/chat-images/01234567-89ab-cdef-0123-456789abcdef.webp';

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

  const meet = () => matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
  /** The stream reads that a replica sends to Redis. */
  const recordReads = (replica: number): (() => string[]) => {
    const redis = stack.replicas[replica]!.app.get<Redis>(REDIS);
    const calls = jest.spyOn(redis, 'sendCommand').mock.calls;
    return () => calls.map(([{ name }]) => name).filter((name) => /^x(rev)?range$/.test(name));
  };

  it('is resumed on another replica with at most two reads of the stream', async () => {
    const { ada, adaSocket, sessionId } = await meet();
    for (let count = 0; count < 20; count += 1)
      await adaSocket.request('random_message', textMessage(sessionId, 'x'));
    await adaSocket.leave();
    const reads = recordReads(1);
    const bobs = reads().length;
    const back = await ada.openSocket(stack.origins[1], { sessionId, seq: 5 });
    await back.next('session_resumed');
    expect(reads().slice(bobs).length).toBeLessThanOrEqual(2);
    expect(back.all('session_resumed')).toMatchObject([{ seq: 21, last: true }]);
  });

  it('is resumed after the end of the chat by reading only its first and last event', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await meet();
    await adaSocket.cut();
    await bobSocket.request('skip_chat', { sessionId });
    const reads = recordReads(1);
    const back = await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
    expect(await back.next('chat_skipped')).toMatchObject({ sessionId, seq: 2, reason: 'skipped' });
    expect(reads()).toEqual(['xrange', 'xrevrange']);
  });

  it('counts as present while a page on it shows the chat, and receives every event in any case', async () => {
    await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
    const { bob, adaSocket, bobSocket, sessionId } = await meet();
    const showChat = (socket: typeof bobSocket, showsChat: boolean) =>
      socket.request('show_chat', { sessionId, showsChat });
    const tab = await bob.connect(stack.origins[0]);
    const lastSeen = { sessionId, seq: 1 };
    await tab.request('authenticate', { userId: bob.user.id, lastSeen, showsChat: false });
    await tab.next('session_resumed');

    expect(await showChat(bobSocket, false)).toEqual({});
    expect(await adaSocket.take('partner_connection')).toEqual({ sessionId, state: 'reconnecting' });
    await showChat(tab, true);
    expect(await adaSocket.take('partner_connection')).toEqual({ sessionId, state: 'connected' });
    await adaSocket.request('random_message', textMessage(sessionId, 'to both'));
    for (const socket of [bobSocket, tab])
      expect(await socket.next('random_message')).toMatchObject({ seq: 2 });

    await showChat(tab, false);
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
    for (const socket of [tab, adaSocket]) await socket.next('chat_skipped');
    expect(await showChat(tab, true)).toEqual({});
  });

  it('cannot be reported as showing a chat of other users', async () => {
    const { sessionId } = await meet();
    const eve = await (await stack.createVisitor(0, 'female')).openSocket();
    expect(await eve.ask('show_chat', { sessionId, showsChat: true })).toMatchObject({
      event: 'error',
      data: { code: 'not_in_session' },
    });
  });

  it('does not grant the partner access to an image when its message is refused', async () => {
    const { adaSocket, bobSocket, sessionId } = await meet();
    const share = jest
      .spyOn(stack.replicas[0]!.app.get(UploadsService), 'share')
      .mockResolvedValue(undefined);
    const send = (content: string, clientId?: string) =>
      adaSocket.ask('random_message', { sessionId, content, messageType: 'mixed', clientId });
    const marker = `[IMAGE:${IMAGE}]`;
    expect(await send(`${'x'.repeat(2_001)}\n${marker}`)).toMatchObject({
      data: { code: 'message_too_long' },
    });
    expect(await send(['look', ...Array.from({ length: 5 }, () => marker)].join('\n'))).toMatchObject({
      data: { code: 'invalid_payload' },
    });
    expect(share).not.toHaveBeenCalled();
    const sent = await send(`look\n${marker}`, 'c-1');
    expect(share).toHaveBeenCalledTimes(1);
    expect(await send(`look\n${marker}`, 'c-1')).toMatchObject({ event: 'ack', data: sent.data });
    await bobSocket.request('skip_chat', { sessionId });
    await adaSocket.next('chat_skipped');
    expect(await send(`look\n${marker}`)).toMatchObject({ data: { code: 'session_ended' } });
    expect(share).toHaveBeenCalledTimes(1);
  });

  it('is refused writes to a Redis that is nearly full, and can still end the chat', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await meet();
    const ack = await adaSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'));
    const valve = stack.replicas[0]!.app.get(MemoryValveService);
    jest.spyOn(valve, 'requireOpen').mockImplementation(() => {
      throw new DomainError('unavailable');
    });
    const refusal = { event: 'error', data: { code: 'unavailable' } };
    expect(await adaSocket.ask('random_message', textMessage(sessionId, 'two'))).toMatchObject(refusal);
    expect(await adaSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'))).toEqual(ack);
    const reaction = { sessionId, messageId: String(ack.id), userId: ada.user.id, action: 'add' as const };
    expect(await adaSocket.ask('message_reaction', { ...reaction, emoji: '🔥' })).toMatchObject(refusal);
    expect(await adaSocket.request('skip_chat', { sessionId })).toEqual({ seq: 3 });
    await bobSocket.next('chat_skipped');
    expect(await adaSocket.ask('join_queue', {})).toMatchObject(refusal);
  });

  it("does not send queue_left to the user's other tabs when the user is already in a chat", async () => {
    const { ada, adaSocket, sessionId } = await meet();
    const tab = await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
    await tab.next('session_resumed'); // a message sent earlier would be a part of it
    // Past the two seconds in which leaving the queue counts as a skip.
    const record = `{matching}:user:${ada.user.id}`;
    await stack.store.redis.hset(record, 'claimedAt', '1');
    await adaSocket.request('leave_queue', {});
    await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
    await tab.next('random_message');
    expect(tab.all('queue_left')).toEqual([]);
  });

  it('never receives a chat whose replica died after its match was released, and that chat is aborted', async () => {
    await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
    const matching = stack.replicas[1]!.app.get(MatchQueueService);
    let sessionId = '';
    jest.spyOn(matching, 'confirm').mockImplementationOnce(async (match) => {
      ({ sessionId } = match);
      await matching.release(match);
      throw new Error('The starter is dead');
    });
    const ada = await (await stack.createVisitor(0, 'female')).openSocket();
    const bob = await (await stack.createVisitor(1, 'male')).openSocket();
    await ada.request('join_queue', { preferences: 'male' });
    await bob.ask('join_queue', { preferences: 'female' });
    await until(() => sessionId);
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    const entries = await until(
      () => stack.store.redis.xrange(stream, '-', '+'),
      (found) => found.length === 2,
    );
    expect(entries[1]?.[1][1]).toContain('"reason":"aborted"');
    const listSessionFrames = (socket: typeof ada) =>
      socket.frames.filter(({ data }) => data?.sessionId === sessionId);
    expect([...listSessionFrames(ada), ...listSessionFrames(bob)]).toEqual([]);
    await Promise.all([ada, bob].map((socket) => socket.leave()));
  });
});
