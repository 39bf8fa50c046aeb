// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
// `closeCleanly` closes a socket as a page does; `terminate` loses the connection. A user has one socket for each tab;
// `adaSocket` is the first of `adaSockets`. Of the two ways to send a frame, `request` throws when the answer is an
// error, and `ask` returns it.
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { estimateCpuSlowdown } from '../../../testing/processor-load.probe';
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

/** How long a chat waits for a user after a lost connection. */
const GRACE_AFTER_LOSS_MS = 4_000;

describe('random chat: reconnect', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, {
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: String(GRACE_AFTER_LOSS_MS),
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  describe('a socket that reconnects', () => {
    const listResumePages = (socket: ThawSocket) => socket.all('session_resumed');
    const listResumedEvents = (socket: ThawSocket) =>
      listResumePages(socket).flatMap(
        ({ events }) => events as { event: string; data: Record<string, unknown> }[],
      );

    it('receives the whole chat after a reload, on another replica as well', async () => {
      const { ada, bob, adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack);
      await adaSocket.request('random_message', textMessage(sessionId, 'one'));
      await bobSocket.request('random_message', textMessage(sessionId, 'two'));
      await adaSocket.closeCleanly();
      const newSocket = await ada.openUnauthenticatedSocket(stack.origins[1]);
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

    it('receives only the missed events after a lost connection, and no message twice', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'));
      await adaSocket.terminate();
      await bobSocket.next('partner_connection');
      await bobSocket.request('random_message', textMessage(sessionId, 'two'));
      const newSocket = await ada.openSocket(stack.origins[1], { sessionId, seq: 2 });
      await newSocket.next('session_resumed');
      expect(listResumedEvents(newSocket).map(({ data }) => data.seq)).toEqual([3]);
      // The client retries a message whose ack it may have missed, with the same client id.
      expect(await newSocket.request('random_message', textMessage(sessionId, 'one', 'c-1'))).toMatchObject({
        seq: 2,
      });
      expect(newSocket.all('chat_matched')).toEqual([]);
    });

    it('receives an empty resume when it has missed no event', async () => {
      const { ada, adaSocket, sessionId } = await startChat(stack);
      await adaSocket.terminate();
      const newSocket = await ada.openSocket(stack.origins[0], { sessionId, seq: 1 });
      expect(await newSocket.next('session_resumed')).toMatchObject({ seq: 1, events: [], last: true });
    });

    it('receives the events after a gap when its client authenticates again on the same socket', async () => {
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
      expect(adaSocket.all('random_message')).toHaveLength(3); // the resumed event is not a frame of its own
    });

    it('receives a long chat in pages of at most 64 KB, without a gap', async () => {
      const { ada, adaSockets, bobSocket, sessionId } = await startChat(stack);
      // The limit counts bytes of the frame: an emoji has four, and JSON escapes quotes and line breaks.
      const content = '🎉"\n'.repeat(600);
      const messageCount = 40;
      for (let count = 0; count < messageCount; count += 1) {
        await bobSocket.request('random_message', textMessage(sessionId, content));
      }
      const lastSeq = 1 + messageCount; // the start of the chat, and the messages
      await waitForSeq(adaSockets, sessionId, lastSeq);
      const newSocket = await ada.openSocket(stack.origins[1]);
      await newSocket.next('session_resumed', ({ last }) => last === true);
      const pages = listResumePages(newSocket);
      expect(pages.length).toBeGreaterThan(2);
      for (const page of pages) {
        const bytes = Buffer.byteLength(JSON.stringify({ event: 'session_resumed', data: page }));
        expect(bytes).toBeLessThanOrEqual(limits.resumeFrameMaxBytes);
      }
      expect(pages.map(({ last }) => last)).toEqual(pages.map((page) => page === pages.at(-1)));
      expect(listResumedEvents(newSocket).map(({ data }) => data.seq)).toEqual(
        Array.from({ length: lastSeq }, (_, index) => index + 1),
      );
      let seq = 0;
      for (const page of pages) {
        seq += (page.events as unknown[]).length;
        expect(page.seq).toBe(seq);
      }
    });

    it('joins a chat that starts in another tab while the new tab authenticates', async () => {
      const [ada, bob] = await createPair(stack);
      const adaSocket = await ada.openSocket();
      const bobSocket = await bob.openSocket();
      const queue = stack.replicas[1]!.app.get(MatchQueueService);
      const resume = queue.resume.bind(queue);
      // The match is made after the user's state was read for the new tab, and before the tab receives it.
      jest.spyOn(queue, 'resume').mockImplementationOnce(async (userId) => {
        const state = await resume(userId);
        await matchSockets([adaSocket], [bobSocket]);
        return state;
      });
      const newSocket = await ada.openSocket(stack.origins[1]);
      expect(await newSocket.next('chat_matched')).toMatchObject({ partnerId: bob.user.id });
    });

    it('is informed of a search that starts in another tab while the new tab authenticates', async () => {
      const ada = await stack.createVisitor(0, 'female');
      const adaSocket = await ada.openSocket();
      const queue = stack.replicas[1]!.app.get(MatchQueueService);
      const resume = queue.resume.bind(queue);
      jest.spyOn(queue, 'resume').mockImplementationOnce(async (userId) => {
        const state = await resume(userId);
        await adaSocket.request('join_queue', { preferences: 'male' });
        return state;
      });
      const newSocket = await ada.openSocket(stack.origins[1]);
      expect(await newSocket.next('queue_joined')).toMatchObject({ preferences: 'male' });
    });

    it('receives every message exactly once while the partner keeps sending', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      let isSending = true;
      const sendUntilStopped = async (): Promise<number> => {
        let sentCount = 0;
        while (isSending) {
          await bobSocket.request('random_message', textMessage(sessionId, `${sentCount}`));
          sentCount += 1;
        }
        return sentCount;
      };
      const sending = sendUntilStopped();
      let socket = adaSocket;
      for (let round = 0; round < 12; round += 1) {
        await (round % 2 ? socket.terminate() : socket.closeCleanly());
        const seenSeq = socket.getLastSeq(sessionId);
        socket = await ada.openSocket(stack.origins[round % 2], { sessionId, seq: seenSeq });
        await socket.next('session_resumed', ({ last }) => last === true);
        // Messages that follow the resume, so that a gap between it and them would be found.
        await until(() => socket.all('random_message').length > 1);
        const { frames, seqViolations } = socket;
        const receivedSeqs = frames.flatMap(({ event, data }) => {
          if (event === 'session_resumed')
            return (data.events as { data: { seq: number } }[]).map((missed) => missed.data.seq);
          return event === 'random_message' ? [Number(data.seq)] : [];
        });
        expect(receivedSeqs).toEqual(Array.from(receivedSeqs, (_, index) => seenSeq + 1 + index));
        // The new test socket does not know what the last one has seen, so a first `seq` above 1 is no violation.
        expect(seqViolations.filter((violation) => !violation.includes(`${sessionId}: 0 →`))).toEqual([]);
      }
      isSending = false;
      const sentCount = await sending;
      await waitForSeq([socket], sessionId, 1 + sentCount);
    });

    it('receives the end of a chat that ended while it was disconnected, unless it has seen the end', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.terminate();
      await bobSocket.request('skip_chat', { sessionId });
      const newSocket = await ada.openUnauthenticatedSocket(stack.origins[1]);
      const lastSeen = { sessionId, seq: 1 };
      const reply = await newSocket.ask('authenticate', { userId: ada.user.id, lastSeen });
      expect(reply.data).toMatchObject({ state: 'idle' });
      expect(await newSocket.next('chat_skipped')).toMatchObject({ sessionId, seq: 2, reason: 'skipped' });
      const nextSocket = await ada.openSocket(stack.origins[0], { sessionId, seq: 2 });
      await nextSocket.request('join_queue', {}); // an end would arrive before the response
      expect(nextSocket.all('chat_skipped')).toEqual([]);
    });

    it('receives an end with the next seq for a chat that the server does not know', async () => {
      const ada = await stack.createVisitor(0, 'female');
      const lastSeen = { sessionId: 'long-gone', seq: 7 };
      const adaSocket = await ada.openSocket(stack.origins[0], lastSeen);
      expect(await adaSocket.next('chat_skipped')).toEqual({
        sessionId: lastSeen.sessionId,
        seq: lastSeen.seq + 1,
        reason: 'disconnected',
        endedBy: null,
      });
    });

    it.each([
      ['the state of its user cannot be read', MatchmakingService, 'resume'],
      ['joining the chat fails', ChatPresenceService, 'join'],
    ] as const)(
      'is closed with the code of an internal error when %s, and the next socket resumes the chat',
      async (_description, service, method) => {
        const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
        await adaSocket.terminate();
        const connectionLost = new Error('Connection is closed.');
        // Both methods are mocked in the same way. The casts choose the types of one of them.
        jest
          .spyOn(stack.replicas[0]!.app.get<ChatPresenceService>(service), method as 'join')
          .mockRejectedValueOnce(connectionLost);
        const lastSeen = { sessionId, seq: 1 };
        const newSocket = await ada.openUnauthenticatedSocket(stack.origins[0]);
        newSocket.send({ event: 'authenticate', data: { userId: ada.user.id, lastSeen } });
        expect(await newSocket.closed).toBe(closeCodes.internalError);
        const nextSocket = await ada.openSocket(stack.origins[0], lastSeen);
        await nextSocket.next('session_resumed');
        await bobSocket.request('random_message', textMessage(sessionId, 'welcome back'));
        expect(await nextSocket.next('random_message')).toMatchObject({ seq: 2 });
      },
    );

    it('resumes a chat that the previous socket could not join when the chat started', async () => {
      const [ada, bob] = await createPair(stack);
      const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
      const connectionLost = new Error('Connection is closed.');
      jest
        .spyOn(stack.replicas[0]!.app.get(ChatPresenceService), 'join')
        .mockRejectedValueOnce(connectionLost);
      await adaSocket.request('join_queue', { preferences: 'male' });
      await bobSocket.request('join_queue', { preferences: 'female' });
      expect(await adaSocket.closed).toBe(closeCodes.internalError);
      const { sessionId } = await bobSocket.next('chat_matched');
      const nextSocket = await ada.openSocket(stack.origins[0], { sessionId: String(sessionId), seq: 0 });
      expect(await nextSocket.next('session_resumed')).toMatchObject({ sessionId, seq: 1 });
    });

    it('receives nothing about the chats of other users', async () => {
      const { sessionId, bobSocket } = await startChat(stack);
      const eve = await stack.createVisitor(0, 'female');
      // Unlike an unknown chat, a chat without Eve gets no end from the server.
      const eveSocket = await eve.openSocket(stack.origins[0], { sessionId, seq: 0 });
      await bobSocket.request('skip_chat', { sessionId });
      const socketAfterEnd = await eve.openSocket(stack.origins[0], { sessionId, seq: 0 });
      for (const { frames } of [eveSocket, socketAfterEnd])
        expect(frames.map(({ event }) => event)).toEqual(['authenticated']);
    });
  });

  describe('a user who is away', () => {
    it('is reported as reconnecting, and as connected after the return', async () => {
      const { ada, adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 1,
        bobTabs: 2,
      });
      const cutAt = Date.now();
      await adaSocket.terminate();
      for (const socket of bobSockets) {
        expect(await socket.next('partner_connection')).toEqual({ sessionId, state: 'reconnecting' });
      }
      // The report takes about a second on an idle machine. If it depended on the lease of the replica, it would take
      // four seconds or more.
      expect(Date.now() - cutAt).toBeLessThan(3_000 * estimateCpuSlowdown());
      expect(bobSocket.all('chat_skipped')).toEqual([]);
      await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
      for (const socket of bobSockets) {
        await socket.next('partner_connection', (data) => data.state === 'connected');
        expect(socket.all('partner_connection')).toHaveLength(2);
      }
    });

    it('is reported as reconnecting in a resume as well', async () => {
      const { ada, adaSocket, bob, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.terminate();
      await bobSocket.next('partner_connection');
      const newSocket = await bob.openSocket(stack.origins[0], { sessionId, seq: 1 });
      expect(await newSocket.next('session_resumed')).toMatchObject({
        partnerConnection: 'reconnecting',
        partnerInfo: { isOnline: false },
      });
      await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
      expect(await newSocket.next('partner_connection')).toEqual({ sessionId, state: 'connected' });
    });

    it('is not reported as reconnecting while another tab of theirs is open', async () => {
      const { adaSocket, adaSockets, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 1,
      });
      await adaSocket.terminate();
      await adaSockets[1]!.request('random_message', textMessage(sessionId, 'here'));
      await waitForSeq(bobSockets, sessionId, 2);
      expect(bobSocket.all('partner_connection')).toEqual([]);
    });

    it('can return within a grace period, which is longer after a lost connection than after a clean close', async () => {
      // A sweep finds the overdue deadlines. A replica sweeps only after it has been up for the duration of a lease.
      await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
      const chatOfCleanClose = await startChat(stack);
      const chatOfLoss = await startChat(stack);
      const chatOfReturn = await startChat(stack);
      const leftAt = Date.now();
      const waitForEnd = async ({ bobSocket }: TestChat) => {
        const data = await bobSocket.next('chat_skipped');
        return { data, afterMs: Date.now() - leftAt };
      };
      await Promise.all([
        chatOfCleanClose.adaSocket.closeCleanly(),
        chatOfLoss.adaSocket.terminate(),
        chatOfReturn.adaSocket.closeCleanly(),
      ]);
      const newSocket = await chatOfReturn.ada.openSocket(stack.origins[1], {
        sessionId: chatOfReturn.sessionId,
        seq: 1,
      });
      const [endAfterCleanClose, endAfterLoss] = await Promise.all([
        waitForEnd(chatOfCleanClose),
        waitForEnd(chatOfLoss),
      ]);
      expect(endAfterCleanClose.data).toEqual({
        sessionId: chatOfCleanClose.sessionId,
        seq: 2,
        reason: 'disconnected',
        endedBy: null,
      });
      expect(endAfterLoss.data).toMatchObject({ sessionId: chatOfLoss.sessionId, reason: 'disconnected' });
      expect(endAfterLoss.afterMs).toBeGreaterThanOrEqual(GRACE_AFTER_LOSS_MS);
      expect(endAfterCleanClose.afterMs).toBeGreaterThanOrEqual(
        Number(quickChatSettings.GRACE_AFTER_CLEAN_CLOSE_MS),
      );
      expect(endAfterCleanClose.afterMs).toBeLessThan(endAfterLoss.afterMs);

      // A user who returns in time continues the chat.
      await chatOfReturn.bobSocket.request(
        'random_message',
        textMessage(chatOfReturn.sessionId, 'welcome back'),
      );
      expect(await newSocket.next('random_message')).toMatchObject({ seq: 2 });

      // After the end, the partner can search again, and a user who returns too late is informed of the end.
      expect(await chatOfCleanClose.bobSocket.ask('join_queue', { preferences: 'female' })).toMatchObject({
        event: 'ack',
      });
      const lateSocket = await chatOfCleanClose.ada.openSocket(stack.origins[0], {
        sessionId: chatOfCleanClose.sessionId,
        seq: 1,
      });
      expect(await lateSocket.next('chat_skipped')).toMatchObject({
        reason: 'disconnected',
        endedBy: null,
      });
    });

    it('leaves no deadline behind when the partner skips during the grace period', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.closeCleanly();
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
