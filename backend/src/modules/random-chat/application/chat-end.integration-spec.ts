// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process. A user has
// one socket for each tab; `adaSocket` is the first of `adaSockets`. Of the two ways to send a frame, `request` throws
// when the answer is an error, and `ask` returns it.
import { limits } from '@thaw/contract/limits';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import {
  createPair,
  expectOrderedSeq,
  matchSockets,
  readEvents,
  readQueueState,
  startChat,
} from '../../../testing/random-chat.fixture';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { type ThawSocket, type ThawVisitor, textMessage } from '../../../testing/thaw.client';
import { until, untilWithin } from '../../../testing/until.functions';
import { type Match, MatchQueueService } from '../../matching/application/match-queue.service';
import { LiveChatService } from './live-chat.service';

jest.setTimeout(60_000);

const isLongRun = process.env.THAW_TEST_LONG === '1';

/** Every chat begins with one event, `ChatStarted`, so the first message or the end of a new chat has this `seq`. */
const SEQ_AFTER_START = 2;

describe('random chat: end', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, { ...quickChatSettings, GRACE_AFTER_LOSS_MS: '4000' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const skip = (socket: ThawSocket, sessionId: string) => socket.request('skip_chat', { sessionId });
  const listEnds = (socket: ThawSocket, sessionId: string) =>
    socket.all('chat_skipped').filter((data) => data.sessionId === sessionId);
  const readEventTypes = async (sessionId: string): Promise<string[]> =>
    (await readEvents(stack, sessionId)).map(({ type }) => type);
  const waitUntilIdle = (visitor: ThawVisitor) =>
    until(async () => (await readQueueState(stack, visitor)) === undefined);
  /**
   * Runs an action between the next match that Bob's replica makes and the confirmation of that match. A match is
   * confirmed when its chat has been created; until then it is a claim.
   * @returns a function that waits for the confirmation.
   */
  const runBeforeConfirmation = (action: (match: Match) => Promise<unknown>): (() => Promise<void>) => {
    const matching = stack.replicas[1]!.app.get(MatchQueueService);
    const confirm = matching.confirm.bind(matching);
    const spy = jest.spyOn(matching, 'confirm').mockImplementationOnce(async (match) => {
      await action(match);
      return confirm(match);
    });
    return async () => {
      await until(() => spy.mock.results.length);
      await spy.mock.results[0]?.value;
      spy.mockRestore();
    };
  };

  describe('the end of a chat', () => {
    it('is sent to every socket except the one that skipped', async () => {
      const { ada, adaSocket, adaSockets, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 2,
      });
      expect(await skip(adaSocket, sessionId)).toEqual({ seq: SEQ_AFTER_START });
      for (const socket of [adaSockets[1]!, ...bobSockets]) {
        expect(await socket.next('chat_skipped')).toEqual({
          sessionId,
          seq: SEQ_AFTER_START,
          reason: 'skipped',
          endedBy: ada.user.id,
        });
      }
      expect(adaSocket.all('chat_skipped')).toEqual([]);
      expectOrderedSeq([...adaSockets, ...bobSockets]);
    });

    it('frees both users, and is neither stored nor sent again when the partner skips later', async () => {
      const { ada, bob, adaSocket, adaSockets, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 2,
      });
      await skip(adaSocket, sessionId);
      const otherSockets = [adaSockets[1]!, ...bobSockets];
      await Promise.all(otherSockets.map((socket) => socket.next('chat_skipped')));
      await Promise.all([waitUntilIdle(ada), waitUntilIdle(bob)]);
      expect(await skip(bobSockets[1]!, sessionId)).toEqual({ seq: SEQ_AFTER_START });
      expect(await readEventTypes(sessionId)).toEqual(['ChatStarted', 'ChatEnded']);
      expect(adaSocket.all('chat_skipped')).toEqual([]);
      for (const socket of otherSockets) expect(socket.all('chat_skipped')).toHaveLength(1);
      expectOrderedSeq([...adaSockets, ...bobSockets]);
    });

    const rounds = isLongRun ? 1_000 : 200;
    it(
      `is stored once when both users skip at the same time (${rounds} rounds)`,
      async () => {
        const [ada, bob] = await createPair(stack);
        const openSocketOnEachReplica = (visitor: ThawVisitor) =>
          Promise.all(stack.origins.map((origin) => visitor.openSocket(origin)));
        const adaSockets = await openSocketOnEachReplica(ada);
        const bobSockets = await openSocketOnEachReplica(bob);
        const allSockets = [...adaSockets, ...bobSockets];
        const pairs = adaSockets.flatMap((adaSocket) =>
          bobSockets.map((bobSocket) => [adaSocket, bobSocket]),
        );
        for (let round = 0; round < rounds; round += 1) {
          const sessionId = await matchSockets(adaSockets, bobSockets);
          const skippingSockets = pairs[round % pairs.length]!;
          const otherSockets = allSockets.filter((socket) => !skippingSockets.includes(socket));
          const acks = await Promise.all(skippingSockets.map((socket) => skip(socket, sessionId)));
          expect(acks).toEqual([{ seq: SEQ_AFTER_START }, { seq: SEQ_AFTER_START }]);
          await until(() => otherSockets.every((socket) => listEnds(socket, sessionId).length > 0));
          expect(await readEventTypes(sessionId)).toEqual(['ChatStarted', 'ChatEnded']);
          for (const socket of otherSockets) expect(listEnds(socket, sessionId)).toHaveLength(1);
          // The end is not sent to the socket whose skip came first.
          for (const socket of skippingSockets)
            expect(listEnds(socket, sessionId).length).toBeLessThanOrEqual(1);
          for (const socket of allSockets) socket.frames.length = 0; // a round needs only its own frames
        }
        expectOrderedSeq(allSockets);
      },
      isLongRun ? 900_000 : 60_000,
    );

    it('leaves the next chat of the two open when skips of the old chat arrive late', async () => {
      const {
        adaSocket,
        adaSockets,
        bobSocket,
        bobSockets,
        sessionId: oldSessionId,
      } = await startChat(stack);
      await skip(adaSocket, oldSessionId);
      await bobSocket.next('chat_skipped');
      const sessionId = await matchSockets(adaSockets, bobSockets);
      for (const socket of [bobSocket, adaSocket])
        expect(await skip(socket, oldSessionId)).toEqual({ seq: SEQ_AFTER_START });
      await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobSocket.next('random_message', (data) => data.sessionId === sessionId)).toMatchObject({
        seq: SEQ_AFTER_START,
      });
      expect(listEnds(bobSocket, sessionId)).toEqual([]);
      expectOrderedSeq([...adaSockets, ...bobSockets]);
    });

    it('leaves nothing of the chat in Redis except its stream and the outbox', async () => {
      const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat(stack, {
        adaTabs: 1,
        bobTabs: 2,
      });
      const openResumingTab = async (replica: number): Promise<ThawSocket> => {
        const tab = await ada.openUnauthenticatedSocket(stack.origins[replica]);
        tab.send({
          event: 'authenticate',
          data: { userId: ada.user.id, lastSeen: { sessionId, seq: 1 } },
        });
        return tab;
      };
      // Many tabs of Ada come and go, so that a record of one of them could be left behind. Some close while they are
      // still resuming the chat, and some of these lose the connection.
      for (let round = 0; round < 16; round += 1) {
        const hasResumed = round % 2 === 1;
        const isConnectionLost = round % 4 === 0;
        const tabs = await Promise.all([0, 1, 0, 1].map(openResumingTab));
        if (hasResumed) await Promise.all(tabs.map((tab) => tab.next('session_resumed')));
        await Promise.all(tabs.map((tab) => (isConnectionLost ? tab.terminate() : tab.closeCleanly())));
      }
      await skip(bobSocket, sessionId);
      await adaSocket.next('chat_skipped');
      const { prefix } = chatKeys(findShard(sessionId));
      const listShardKeys = () => stack.store.listKeys(`${prefix}*`);
      // The keys `chat:…` are streams. All chats of the shard share the other two.
      const isExpected = (key: string) => /^\{shard\d+\}:(outbox|replicas|chat:.*)$/.test(key);
      await until(listShardKeys, (keys) => keys.every(isExpected));
      for (const { id } of [ada.user, bob.user]) {
        await until(async () => (await stack.store.listKeys(`{matching}:user:${id}`)).length === 0);
      }
      const { app } = stack.replicas[0]!;
      await until(() => app.get(LiveChatService).size === 0);
    });
  });

  it('aborts a chat whose match was ended before its confirmation, and leaves no claim', async () => {
    const [ada, bob] = await createPair(stack);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    let sessionId = '';
    runBeforeConfirmation(async (match) => {
      ({ sessionId } = match);
      const matching = stack.replicas[1]!.app.get(MatchQueueService);
      await matching.finish(match); // frees the two, as the end of a chat does
    });
    // Bob searches after Ada, so Bob's replica makes the match.
    await adaSocket.request('join_queue', { preferences: 'male' });
    await bobSocket.request('join_queue', { preferences: 'female' });
    await until(async () => (await readEventTypes(sessionId)).includes('ChatEnded'));
    await untilWithin(2_000, async () => (await stack.store.listKeys('{matching}:claims')).length === 0);
    // A sweep would use a remaining deadline to end this chat, which the two users never saw.
    await until(async () => {
      const deadlines = await stack.store.redis.zrange(chatKeys(findShard(sessionId)).deadlines, '0', '-1');
      return !deadlines.some((member) => member.startsWith(sessionId));
    });
    expect(adaSocket.all('chat_matched')).toEqual([]);
  });

  describe('leave_queue around the moment of a match', () => {
    it('ends the chat, as a skip does, when the match has just been made', async () => {
      const { ada, adaSocket, adaSockets, bobSocket, bobSockets, sessionId } = await startChat(stack);
      expect(await adaSocket.ask('leave_queue', {})).toMatchObject({ event: 'ack' });
      expect(await bobSocket.next('chat_skipped')).toEqual({
        sessionId,
        seq: SEQ_AFTER_START,
        reason: 'skipped',
        endedBy: ada.user.id,
      });
      expectOrderedSeq([...adaSockets, ...bobSockets]);
    });

    it('does not end the chat when the match was made too long ago', async () => {
      // The longest time after a match at which leave_queue still skips. Every match is older than -1 ms.
      jest.replaceProperty<{ leaveAsSkipWindowMs: number }, 'leaveAsSkipWindowMs'>(
        limits,
        'leaveAsSkipWindowMs',
        -1,
      );
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.request('leave_queue', {});
      await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobSocket.next('random_message')).toMatchObject({ seq: SEQ_AFTER_START });
    });

    it('never leaves the partner alone in a chat, whether the match or leave_queue comes first', async () => {
      const [ada, bob] = await createPair(stack);
      const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
      const joinAsBob = () => bobSocket.ask('join_queue', { preferences: 'female' });
      const leaveAsAda = () => adaSocket.ask('leave_queue', {});
      const leaveDuringJoin = async () => {
        await Promise.all([joinAsBob(), leaveAsAda()]);
      };
      const leaveAfterMatch = async () => {
        await joinAsBob();
        await leaveAsAda();
      };
      const leaveBeforeConfirmation = async () => {
        const waitForConfirmation = runBeforeConfirmation(leaveAsAda);
        await joinAsBob();
        await waitForConfirmation();
      };
      const scenarios = [leaveDuringJoin, leaveAfterMatch, leaveBeforeConfirmation];
      const roundsOfEach = 10;
      let matches = 0;
      for (let round = 0; round < scenarios.length * roundsOfEach; round += 1) {
        await adaSocket.request('join_queue', { preferences: 'male' });
        await scenarios[round % scenarios.length]!();
        // Bob either is still searching, or was in a chat that Ada has skipped.
        await until(
          async () =>
            (await readQueueState(stack, bob)) === 'searching' || bobSocket.all('chat_skipped').length > 0,
        );
        await waitUntilIdle(ada);
        if (bobSocket.all('chat_matched').length > 0) {
          matches += 1;
          await bobSocket.next('chat_skipped');
          expect(bobSocket.all('chat_skipped')).toEqual([
            expect.objectContaining({ reason: 'skipped', endedBy: ada.user.id }),
          ]);
        }
        await bobSocket.request('leave_queue', {});
        await waitUntilIdle(bob);
        expectOrderedSeq([adaSocket, bobSocket]);
        adaSocket.frames.length = bobSocket.frames.length = 0;
      }
      // Every round of `leaveAfterMatch` and `leaveBeforeConfirmation` has a match.
      expect(matches).toBeGreaterThanOrEqual(2 * roundsOfEach);
    });
  });
});
