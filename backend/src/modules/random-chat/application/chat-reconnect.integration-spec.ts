// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
// A user has one socket for each tab; `adaSocket` is the first of `adaSockets`. `closeCleanly` closes a socket as a
// page does; `terminate` loses the connection. When the answer to a frame is an error, `request` throws, and `ask`
// returns it.
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import {
  createPair,
  expectOrderedSeq,
  matchSockets,
  startChat,
  waitForSeq,
} from '../../../testing/random-chat.fixture';
import { type TestReplica, type TestStack, startTestStack } from '../../../testing/test-stack.harness';
import { type ThawSocket, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { MatchmakingService } from '../../matching/application/matchmaking.service';
import { MatchQueueService } from '../../matching/application/match-queue.service';

jest.setTimeout(60_000);

const connectionLost = new Error('Connection is closed.');

/** The numbers of `count` successive events. */
const createSeqs = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

describe('random chat: reconnect', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  describe('a socket that reconnects', () => {
    const getEvents = (page: Record<string, unknown>) =>
      page.events as { event: string; data: Record<string, unknown> }[];
    const listResumedEvents = (socket: ThawSocket) => socket.all('session_resumed').flatMap(getEvents);
    /** The numbers of the events that a socket has received, in a resume or on their own, in order of arrival. */
    const listReceivedSeqs = (socket: ThawSocket): number[] =>
      socket.frames.flatMap(({ event, data }) => {
        if (event === 'session_resumed') return getEvents(data).map((missed) => Number(missed.data.seq));
        return event === 'random_message' ? [Number(data.seq)] : [];
      });
    /**
     * Runs `action` while the next socket on the second replica authenticates: the server has already read the state of
     * the user, and the socket has not received it yet.
     */
    const runDuringNextAuthentication = (action: () => Promise<unknown>): void => {
      const queue = stack.replicas[1]!.app.get(MatchQueueService);
      const resume = queue.resume.bind(queue);
      jest.spyOn(queue, 'resume').mockImplementationOnce(async (userId) => {
        const state = await resume(userId);
        await action();
        return state;
      });
    };

    it('receives the whole chat after a reload that reaches another replica, and continues it', async () => {
      const { ada, bob, adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack);
      await adaSocket.request('random_message', textMessage(sessionId, 'one'));
      await bobSocket.request('random_message', textMessage(sessionId, 'two'));
      await adaSocket.closeCleanly();
      const newSocket = await ada.openUnauthenticatedSocket(stack.origins[1]);
      expect((await newSocket.ask('authenticate', { userId: ada.user.id })).data).toEqual({
        userId: ada.user.id,
        state: 'chatting',
      });
      expect(await newSocket.next('session_resumed')).toMatchObject({
        sessionId,
        seq: 3,
        partnerId: bob.user.id,
        partnerInfo: { id: bob.user.id, username: bob.user.username, isOnline: true },
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
      // Each message has arrived once: the resume did not send 'two' as a frame of its own again.
      expect(adaSocket.all('random_message').map(({ content }) => content)).toEqual(['one', 'two', 'three']);
    });

    it('receives a long chat in pages of at most 64 KB, without a gap', async () => {
      const { ada, adaSockets, bobSocket, sessionId } = await startChat(stack);
      // The limit counts bytes of the JSON: four for an emoji, and two each for an escaped quote and line break.
      const content = '🎉"\n'.repeat(600);
      const messageCount = 40;
      for (let count = 0; count < messageCount; count += 1) {
        await bobSocket.request('random_message', textMessage(sessionId, content));
      }
      const lastSeq = 1 + messageCount; // the start of the chat, and the messages
      await waitForSeq(adaSockets, sessionId, lastSeq);
      const newSocket = await ada.openSocket(stack.origins[1]);
      await newSocket.next('session_resumed', ({ last }) => last === true);
      expect(listResumedEvents(newSocket).map(({ data }) => data.seq)).toEqual(createSeqs(1, lastSeq));
      const pages = newSocket.all('session_resumed');
      expect(pages.length).toBeGreaterThan(2);
      for (const page of pages) {
        const bytes = Buffer.byteLength(JSON.stringify({ event: 'session_resumed', data: page }));
        expect(bytes).toBeLessThanOrEqual(limits.resumeFrameMaxBytes);
        expect(page.last).toBe(page === pages.at(-1));
        expect(page.seq).toBe(getEvents(page).at(-1)?.data.seq);
      }
    });

    it('joins a chat that starts in another tab while the new tab authenticates', async () => {
      const [ada, bob] = await createPair(stack);
      const adaSocket = await ada.openSocket();
      const bobSocket = await bob.openSocket();
      runDuringNextAuthentication(() => matchSockets([adaSocket], [bobSocket]));
      const newSocket = await ada.openSocket(stack.origins[1]);
      expect(await newSocket.next('chat_matched')).toMatchObject({ partnerId: bob.user.id });
    });

    it('is informed of a search that starts in another tab while the new tab authenticates', async () => {
      const ada = await stack.createVisitor(0, 'female');
      const adaSocket = await ada.openSocket();
      runDuringNextAuthentication(() => adaSocket.request('join_queue', { preferences: 'male' }));
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
        if (round % 2 === 0) await socket.closeCleanly();
        else await socket.terminate();
        const seenSeq = socket.getLastSeq(sessionId);
        socket = await ada.openSocket(stack.origins[round % 2], { sessionId, seq: seenSeq });
        await socket.next('session_resumed', ({ last }) => last === true);
        // With two messages after the resume, the check below also finds a gap between the resume and them.
        await until(() => socket.all('random_message').length >= 2);
        const receivedSeqs = listReceivedSeqs(socket);
        expect(receivedSeqs).toEqual(createSeqs(seenSeq + 1, receivedSeqs.length));
        // If the first event of a new test socket is a message, the socket records a gap from 0, which is no real gap.
        const gaps = socket.seqViolations.filter((violation) => !violation.includes(`${sessionId}: 0 →`));
        expect(gaps).toEqual([]);
      }
      isSending = false;
      const sentCount = await sending;
      await waitForSeq([socket], sessionId, 1 + sentCount);
    });

    it('receives the end of a chat that ended while it was disconnected', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.terminate();
      await bobSocket.request('skip_chat', { sessionId });
      const newSocket = await ada.openUnauthenticatedSocket(stack.origins[1]);
      const lastSeen = { sessionId, seq: 1 };
      const reply = await newSocket.ask('authenticate', { userId: ada.user.id, lastSeen });
      expect(reply.data).toMatchObject({ state: 'idle' });
      expect(await newSocket.next('chat_skipped')).toMatchObject({ sessionId, seq: 2, reason: 'skipped' });
    });

    it('does not receive the end of a chat that its client has already seen', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      await bobSocket.request('skip_chat', { sessionId });
      await adaSocket.next('chat_skipped');
      const newSocket = await ada.openSocket(stack.origins[0], { sessionId, seq: 2 });
      await newSocket.request('join_queue', {}); // an end would arrive before the answer to this frame
      expect(newSocket.all('chat_skipped')).toEqual([]);
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

    it.each<[failure: string, failNextCall: (replica: TestReplica) => void]>([
      [
        'the state of its user cannot be read',
        ({ app }) => {
          jest.spyOn(app.get(MatchmakingService), 'resume').mockRejectedValueOnce(connectionLost);
        },
      ],
      [
        'joining the chat fails',
        ({ app }) => {
          jest.spyOn(app.get(ChatPresenceService), 'join').mockRejectedValueOnce(connectionLost);
        },
      ],
    ])(
      'is closed with the code of an internal error when %s, and the next socket resumes the chat',
      async (_failure, failNextCall) => {
        const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
        await adaSocket.terminate();
        failNextCall(stack.replicas[0]!);
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
      const adaSocket = await ada.openSocket();
      const bobSocket = await bob.openSocket();
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
      // The server would send an end for an unknown chat. For a chat of other users, it sends nothing.
      const eveSocket = await eve.openSocket(stack.origins[0], { sessionId, seq: 0 });
      await bobSocket.request('skip_chat', { sessionId });
      const socketAfterEnd = await eve.openSocket(stack.origins[0], { sessionId, seq: 0 });
      for (const { frames } of [eveSocket, socketAfterEnd])
        expect(frames.map(({ event }) => event)).toEqual(['authenticated']);
    });
  });
});
