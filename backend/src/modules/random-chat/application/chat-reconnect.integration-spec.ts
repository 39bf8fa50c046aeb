// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import { limits } from '@thaw/contract/limits';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { estimateSlowdown } from '../../../testing/processor-load.probe';
import {
  type TestChat,
  createPair,
  expectOrderedSeq,
  matchSockets,
  readEvents,
  startChat,
  waitForSeq,
} from '../../../testing/random-chat.fixture';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { type ThawSocket, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { MatchmakingService } from '../../matching/application/matchmaking.service';
import { MatchQueueService } from '../../matching/application/match-queue.service';

jest.setTimeout(60_000);

describe('random chat: reconnect', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, { ...quickChatSettings, GRACE_AFTER_LOSS_MS: '4000' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  describe('a socket that reconnects', () => {
    const listResumeFrames = (socket: ThawSocket) => socket.all('session_resumed');
    const listResumedEvents = (socket: ThawSocket) =>
      listResumeFrames(socket).flatMap(
        ({ events }) => events as { event: string; data: Record<string, unknown> }[],
      );

    it('sends the whole chat after a reload, on any replica', async () => {
      const { ada, bob, adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack);
      await adaSocket.request('random_message', textMessage(sessionId, 'one'));
      await bobSocket.request('random_message', textMessage(sessionId, 'two'));
      await adaSocket.leave();
      const newSocket = await ada.connect(stack.origins[1]);
      expect((await newSocket.ask('authenticate', { userId: ada.user.id })).data).toEqual({
        userId: ada.user.id,
        state: 'chatting',
      });
      const { username } = bob.user;
      expect(await newSocket.next('session_resumed')).toMatchObject({
        sessionId,
        seq: 3,
        partnerId: bob.user.id,
        partnerInfo: { id: bob.user.id, username, isOnline: true },
        partnerConnection: 'connected',
        last: true,
      });
      expect(listResumedEvents(newSocket).map(({ event, data }) => [event, data.seq, data.content])).toEqual([
        ['chat_matched', 1, undefined],
        ['random_message', 2, 'one'],
        ['random_message', 3, 'two'],
      ]);
      await bobSocket.request('random_message', textMessage(sessionId, 'three'));
      expect(await newSocket.next('random_message')).toMatchObject({ seq: 4 });
      await newSocket.request('random_message', textMessage(sessionId, 'four'));
      await waitForSeq(bobSockets, sessionId, 5);
      expectOrderedSeq([newSocket, ...bobSockets]);
    });

    it('sends only the missed events, once, after a lost connection', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'));
      await adaSocket.cut();
      await bobSocket.next('partner_connection');
      await bobSocket.request('random_message', textMessage(sessionId, 'two'));
      const newSocket = await ada.openSocket(stack.origins[1], { sessionId, seq: 2 });
      await newSocket.next('session_resumed');
      expect(listResumedEvents(newSocket).map(({ data }) => data.seq)).toEqual([3]);
      expect(await newSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'))).toMatchObject({
        seq: 2,
      });
      expect(newSocket.all('chat_matched')).toEqual([]);
    });

    it('sends an empty resume when no event was missed', async () => {
      const { ada, adaSocket, sessionId } = await startChat(stack);
      await adaSocket.cut();
      const newSocket = await ada.openSocket(undefined, { sessionId, seq: 1 });
      expect(await newSocket.next('session_resumed')).toMatchObject({ seq: 1, events: [], last: true });
    });

    it('sends the events after a gap when a client authenticates again on the same socket', async () => {
      const { ada, adaSocket, adaSockets, bobSocket, sessionId } = await startChat(stack);
      await bobSocket.request('random_message', textMessage(sessionId, 'one'));
      await bobSocket.request('random_message', textMessage(sessionId, 'two'));
      await waitForSeq(adaSockets, sessionId, 3);
      await adaSocket.request('authenticate', { userId: ada.user.id, lastSeen: { sessionId, seq: 2 } });
      expect(await adaSocket.next('session_resumed')).toMatchObject({ seq: 3, last: true });
      expect(listResumedEvents(adaSocket).map(({ data }) => data.content)).toEqual(['two']);
      await bobSocket.request('random_message', textMessage(sessionId, 'three'));
      expect(await adaSocket.next('random_message', ({ seq }) => seq === 4)).toMatchObject({
        content: 'three',
      });
      expect(adaSocket.all('random_message')).toHaveLength(3);
    });

    it('sends a long chat in pages of at most 64 KB, without a gap', async () => {
      const { ada, adaSockets, bobSocket, sessionId } = await startChat(stack);
      const content = '🎉"\n'.repeat(600);
      for (let count = 0; count < 40; count += 1) {
        await bobSocket.request('random_message', textMessage(sessionId, content));
      }
      await waitForSeq(adaSockets, sessionId, 41);
      const newSocket = await ada.openSocket(stack.origins[1]);
      await newSocket.next('session_resumed', ({ last }) => last === true);
      const frames = listResumeFrames(newSocket);
      expect(frames.length).toBeGreaterThan(2);
      for (const frame of frames) {
        const bytes = Buffer.byteLength(JSON.stringify({ event: 'session_resumed', data: frame }));
        expect(bytes).toBeLessThanOrEqual(limits.resumeFrameMaxBytes);
      }
      expect(frames.map(({ last }) => last)).toEqual([...frames.slice(1).map(() => false), true]);
      expect(listResumedEvents(newSocket).map(({ data }) => data.seq)).toEqual(
        Array.from({ length: 41 }, (_, index) => index + 1),
      );
      let seq = 0;
      for (const frame of frames) {
        seq += (frame.events as unknown[]).length;
        expect(frame.seq).toBe(seq);
      }
    });

    it('joins a new tab to a chat that starts in another tab while the new one authenticates', async () => {
      const [ada, bob] = await createPair(stack);
      const adaSocket = await ada.openSocket();
      const bobSocket = await bob.openSocket();
      const queue = stack.replicas[1]!.app.get(MatchQueueService);
      const resume = queue.resume.bind(queue);
      // The match is made after the second tab has read the user's state and before it receives the answer.
      jest.spyOn(queue, 'resume').mockImplementationOnce(async (userId) => {
        const state = await resume(userId);
        await matchSockets([adaSocket], [bobSocket]);
        return state;
      });
      const late = await ada.openSocket(stack.origins[1]);
      expect(await late.next('chat_matched')).toMatchObject({ partnerId: bob.user.id });
    });

    it('reports a search that starts in another tab while the new one authenticates', async () => {
      const ada = await stack.createVisitor(0, 'female');
      const adaSocket = await ada.openSocket();
      const queue = stack.replicas[1]!.app.get(MatchQueueService);
      const resume = queue.resume.bind(queue);
      jest.spyOn(queue, 'resume').mockImplementationOnce(async (userId) => {
        const state = await resume(userId);
        await adaSocket.request('join_queue', { preferences: 'male' });
        return state;
      });
      const late = await ada.openSocket(stack.origins[1]);
      expect(await late.next('queue_joined')).toMatchObject({ preferences: 'male' });
    });

    it('delivers every message exactly once to a user who reconnects while the partner keeps sending', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack, { adaTabs: 1, bobTabs: 1 });
      let isSending = true;
      const sending = (async () => {
        let sent = 0;
        for (; isSending; sent += 1)
          await bobSocket.request('random_message', textMessage(sessionId, `${sent}`));
        return sent;
      })();
      const received: number[] = [];
      let socket = adaSocket;
      for (let round = 0; round < 12; round += 1) {
        await (round % 2 ? socket.cut() : socket.leave());
        const seen = socket.getLastSeen(sessionId);
        socket = await ada.openSocket(stack.origins[round % 2], { sessionId, seq: seen });
        await socket.next('session_resumed', ({ last }) => last === true);
        await until(() => socket.all('random_message').length > 1);
        const { frames, seqViolations } = socket;
        received.length = 0;
        for (const { event, data } of frames) {
          if (event === 'session_resumed') {
            received.push(...(data.events as { data: { seq: number } }[]).map((missed) => missed.data.seq));
          } else if (event === 'random_message') received.push(Number(data.seq));
        }
        expect(received).toEqual(Array.from(received, (_, index) => seen + 1 + index));
        expect(seqViolations.filter((violation) => !violation.includes(`${sessionId}: 0 →`))).toEqual([]);
      }
      isSending = false;
      const sent = await sending;
      await waitForSeq([socket], sessionId, 1 + sent);
    });

    it('sends the end of a chat that ended while the user was disconnected', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.cut();
      await bobSocket.request('skip_chat', { sessionId });
      const newSocket = await ada.connect(stack.origins[1]);
      const lastSeen = { sessionId, seq: 1 };
      const reply = await newSocket.ask('authenticate', { userId: ada.user.id, lastSeen });
      expect(reply.data).toMatchObject({ state: 'idle' });
      expect(await newSocket.next('chat_skipped')).toMatchObject({ sessionId, seq: 2, reason: 'skipped' });
      const nextSocket = await ada.openSocket(undefined, { sessionId, seq: 2 });
      await nextSocket.request('join_queue', {});
      expect(nextSocket.all('chat_skipped')).toEqual([]);
      const unknown = await ada.openSocket(undefined, { sessionId: 'long-gone', seq: 7 });
      expect(await unknown.next('chat_skipped')).toEqual({
        sessionId: 'long-gone',
        seq: 8,
        reason: 'disconnected',
        endedBy: null,
      });
    });

    it.each([
      ['the state of its user cannot be read', MatchmakingService, 'resume'],
      ['joining the chat fails', ChatPresenceService, 'join'],
    ] as const)(
      'closes a reconnecting socket with 1011 when %s, and resumes on the next attempt',
      async (_, service, method) => {
        const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
        await adaSocket.cut();
        const connectionLost = new Error('Connection is closed.');
        jest
          .spyOn(stack.replicas[0]!.app.get<ChatPresenceService>(service), method as 'join')
          .mockRejectedValueOnce(connectionLost);
        const lastSeen = { sessionId, seq: 1 };
        const newSocket = await ada.connect(stack.origins[0]);
        newSocket.send({ event: 'authenticate', data: { userId: ada.user.id, lastSeen } });
        expect(await newSocket.closed).toBe(1011);
        const nextSocket = await ada.openSocket(stack.origins[0], lastSeen);
        await nextSocket.next('session_resumed');
        await bobSocket.request('random_message', textMessage(sessionId, 'welcome back'));
        expect(await nextSocket.next('random_message')).toMatchObject({ seq: 2 });
      },
    );

    it('resumes a new chat after joining it failed', async () => {
      const [ada, bob] = await createPair(stack);
      const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
      const connectionLost = new Error('Connection is closed.');
      jest
        .spyOn(stack.replicas[0]!.app.get(ChatPresenceService), 'join')
        .mockRejectedValueOnce(connectionLost);
      await adaSocket.request('join_queue', { preferences: 'male' });
      await bobSocket.request('join_queue', { preferences: 'female' });
      expect(await adaSocket.closed).toBe(1011);
      const { sessionId } = await bobSocket.next('chat_matched');
      const nextSocket = await ada.openSocket(stack.origins[0], { sessionId: String(sessionId), seq: 0 });
      expect(await nextSocket.next('session_resumed')).toMatchObject({ sessionId, seq: 1 });
    });

    it('sends nothing about the chats of other users', async () => {
      const { sessionId, bobSocket } = await startChat(stack);
      const eve = await stack.createVisitor(0, 'female');
      const socket = await eve.openSocket(undefined, { sessionId, seq: 0 });
      await bobSocket.request('skip_chat', { sessionId });
      await eve.openSocket(undefined, { sessionId, seq: 0 });
      expect(socket.frames.map(({ event }) => event)).toEqual(['authenticated']);
    });
  });

  describe('a partner who is away', () => {
    it('reports a partner without a connection as reconnecting, and as connected after the return', async () => {
      const { ada, adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 1,
        bobTabs: 2,
      });
      const before = Date.now();
      await adaSocket.cut();
      for (const socket of bobSockets) {
        expect(await socket.next('partner_connection')).toEqual({ sessionId, state: 'reconnecting' });
      }
      // Takes about a second on an idle machine; a dead replica is noticed after four seconds at the earliest.
      expect(Date.now() - before).toBeLessThan(3_000 * estimateSlowdown());
      expect(bobSocket.all('chat_skipped')).toEqual([]);
      await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
      for (const socket of bobSockets) {
        expect(await socket.next('partner_connection', (data) => data.state === 'connected')).toBeTruthy();
        expect(socket.all('partner_connection')).toHaveLength(2);
      }
    });

    it('reports a reconnecting partner in a resume as well', async () => {
      const { ada, adaSocket, bob, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.cut();
      await bobSocket.next('partner_connection');
      const newSocket = await bob.openSocket(stack.origins[0], { sessionId, seq: 1 });
      expect(await newSocket.next('session_resumed')).toMatchObject({
        partnerConnection: 'reconnecting',
        partnerInfo: { isOnline: false },
      });
      await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
      expect(await newSocket.next('partner_connection')).toEqual({ sessionId, state: 'connected' });
    });

    it('does not report a partner as reconnecting while another tab is open', async () => {
      const { adaSocket, adaSockets, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 1,
      });
      await adaSocket.cut();
      await adaSockets[1]!.request('random_message', textMessage(sessionId, 'here'));
      await waitForSeq(bobSockets, sessionId, 2);
      expect(bobSocket.all('partner_connection')).toEqual([]);
    });

    it('waits longer for a user after a lost connection than after a clean close', async () => {
      // A replica sweeps only after it has been up for the duration of a lease.
      await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
      const [closed, cut, returned] = [
        await startChat(stack),
        await startChat(stack),
        await startChat(stack),
      ];
      const startedAt = Date.now();
      const waitForEnd = async ({ bobSocket }: TestChat) => {
        const data = await bobSocket.next('chat_skipped');
        return { data, afterMs: Date.now() - startedAt };
      };
      await Promise.all([closed.adaSocket.leave(), cut.adaSocket.cut(), returned.adaSocket.leave()]);
      const newSocket = await returned.ada.openSocket(stack.origins[1], {
        sessionId: returned.sessionId,
        seq: 1,
      });
      const [early, late] = await Promise.all([waitForEnd(closed), waitForEnd(cut)]);
      expect(early.data).toEqual({
        sessionId: closed.sessionId,
        seq: 2,
        reason: 'disconnected',
        endedBy: null,
      });
      expect(late.data).toMatchObject({ sessionId: cut.sessionId, reason: 'disconnected' });
      expect(late.afterMs).toBeGreaterThanOrEqual(4_000);
      expect(early.afterMs).toBeGreaterThanOrEqual(400);
      expect(early.afterMs).toBeLessThan(late.afterMs);
      await returned.bobSocket.request('random_message', textMessage(returned.sessionId, 'welcome back'));
      expect(await newSocket.next('random_message')).toMatchObject({ seq: 2 });
      expect(await closed.bobSocket.ask('join_queue', { preferences: 'female' })).toMatchObject({
        event: 'ack',
      });
      const returnedLate = await closed.ada.openSocket(undefined, { sessionId: closed.sessionId, seq: 1 });
      expect(await returnedLate.next('chat_skipped')).toMatchObject({
        reason: 'disconnected',
        endedBy: null,
      });
    });

    it('leaves no deadline behind when the other user skips during the grace period', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.leave();
      await bobSocket.next('partner_connection');
      await bobSocket.request('skip_chat', { sessionId });
      await until(async () => {
        const deadlines = await stack.store.redis.zrange(chatKeys(findShard(sessionId)).deadlines, '0', '-1');
        return !deadlines.some((member) => member.startsWith(sessionId));
      });
      expect((await readEvents(stack, sessionId)).map(({ type }) => type)).toEqual([
        'ChatStarted',
        'ChatEnded',
      ]);
    });
  });
});
