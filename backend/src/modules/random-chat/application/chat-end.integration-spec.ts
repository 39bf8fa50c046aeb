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
import { type ThawVisitor, textMessage } from '../../../testing/thaw.client';
import { until, untilWithin } from '../../../testing/until.functions';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { LiveChatService } from './live-chat.service';

jest.setTimeout(60_000);

const isLongRun = process.env.THAW_TEST_LONG === '1';

/** Every chat from `startChat` begins with one event, `ChatStarted`, so its end is the second event. */
const SEQ_OF_END = 2;

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

  describe('the end of a chat', () => {
    it('is sent once to every socket except the one that skipped, and frees both users', async () => {
      const { ada, bob, adaSocket, adaSockets, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 2,
      });
      expect(await adaSocket.request('skip_chat', { sessionId })).toEqual({ seq: SEQ_OF_END });
      for (const socket of [adaSockets[1]!, ...bobSockets]) {
        expect(await socket.next('chat_skipped')).toEqual({
          sessionId,
          seq: SEQ_OF_END,
          reason: 'skipped',
          endedBy: ada.user.id,
        });
      }
      await until(
        async () =>
          (await readQueueState(stack, ada)) === undefined &&
          (await readQueueState(stack, bob)) === undefined,
      );
      // A repeated skip is acknowledged with the same `seq` and changes nothing.
      expect(await bobSockets[1]!.request('skip_chat', { sessionId })).toEqual({ seq: SEQ_OF_END });
      expect((await readEvents(stack, sessionId)).map(({ type }) => type)).toEqual([
        'ChatStarted',
        'ChatEnded',
      ]);
      for (const socket of [...adaSockets, ...bobSockets]) {
        expect(socket.all('chat_skipped').length).toBe(socket === adaSocket ? 0 : 1);
      }
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
        for (let round = 1; round <= rounds; round += 1) {
          const sessionId = await matchSockets(adaSockets, bobSockets);
          // Over four rounds, each tab of Ada skips together with each tab of Bob.
          const skippingSockets = [adaSockets[round % 2]!, bobSockets[Math.floor(round / 2) % 2]!];
          const acks = await Promise.all(
            skippingSockets.map((socket) => socket.request('skip_chat', { sessionId })),
          );
          expect(acks).toEqual([{ seq: SEQ_OF_END }, { seq: SEQ_OF_END }]);
          // As in the page, a tab that skipped does not wait for `chat_skipped`, which it may not receive.
          await Promise.all(
            allSockets
              .filter((socket) => !skippingSockets.includes(socket))
              .map((socket) => socket.next('chat_skipped', (data) => data.sessionId === sessionId)),
          );
          const events = await readEvents(stack, sessionId);
          expect(events.map(({ type }) => type)).toEqual(['ChatStarted', 'ChatEnded']);
          for (const socket of allSockets) {
            const ends = socket.all('chat_skipped').filter((data) => data.sessionId === sessionId);
            expect(ends.length).toBeLessThanOrEqual(1);
            if (!skippingSockets.includes(socket)) expect(ends).toHaveLength(1);
            socket.frames.length = 0;
          }
        }
        expectOrderedSeq(allSockets);
      },
      isLongRun ? 900_000 : 60_000,
    );

    it('does not affect the next chat when a skip of the old chat arrives late', async () => {
      const {
        adaSocket,
        adaSockets,
        bobSocket,
        bobSockets,
        sessionId: oldSessionId,
      } = await startChat(stack);
      await adaSocket.request('skip_chat', { sessionId: oldSessionId });
      await bobSocket.next('chat_skipped');
      const sessionId = await matchSockets(adaSockets, bobSockets);
      for (const socket of [bobSocket, adaSocket])
        expect(await socket.request('skip_chat', { sessionId: oldSessionId })).toEqual({ seq: SEQ_OF_END });
      await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobSocket.next('random_message', (data) => data.sessionId === sessionId)).toMatchObject({
        seq: 2,
      });
      expect(bobSocket.all('chat_skipped').filter((data) => data.sessionId === sessionId)).toEqual([]);
      expectOrderedSeq([...adaSockets, ...bobSockets]);
    });

    it('leaves nothing of the chat in Redis except its stream and the outbox', async () => {
      const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat(stack, {
        adaTabs: 1,
        bobTabs: 2,
      });
      // Many tabs of Ada come and go, so that a record of one of them could be left behind.
      for (let round = 0; round < 16; round += 1) {
        const tabs = await Promise.all(
          [0, 1, 0, 1].map(async (replica) => {
            const tab = await ada.openUnauthenticatedSocket(stack.origins[replica]);
            tab.send({
              event: 'authenticate',
              data: { userId: ada.user.id, lastSeen: { sessionId, seq: 1 } },
            });
            // In even rounds, the tab is closed while it is still resuming.
            if (round % 2 === 1) await tab.next('session_resumed');
            return tab;
          }),
        );
        // In every fourth round, the connections are lost instead of closed.
        await Promise.all(tabs.map((tab) => (round % 4 === 0 ? tab.terminate() : tab.closeCleanly())));
      }
      await bobSocket.request('skip_chat', { sessionId });
      await adaSocket.next('chat_skipped');
      const { prefix } = chatKeys(findShard(sessionId));
      const listShardKeys = () => stack.store.listKeys(`${prefix}*`);
      // `chat:` are the streams. `replicas` is shared by all chats of the shard.
      const isExpected = (key: string) => /^\{shard\d+\}:(outbox|replicas|chat:.*)$/.test(key);
      await until(listShardKeys, (keys) => keys.every(isExpected));
      for (const { id } of [ada.user, bob.user]) {
        await until(async () => (await stack.store.listKeys(`{matching}:user:${id}`)).length === 0);
      }
      const { app } = stack.replicas[0]!;
      await until(() => app.get(LiveChatService).size === 0);
    });
  });

  it('aborts a chat whose match was released before the match was confirmed, and leaves no claim', async () => {
    const [ada, bob] = await createPair(stack);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    // Bob searches after Ada, so Bob's replica makes the match.
    const matching = stack.replicas[1]!.app.get(MatchQueueService);
    const confirm = matching.confirm.bind(matching);
    let sessionId = '';
    jest.spyOn(matching, 'confirm').mockImplementationOnce(async (match) => {
      ({ sessionId } = match);
      await matching.finish(match); // releases the match, and the two do not search again
      return confirm(match);
    });
    await adaSocket.request('join_queue', { preferences: 'male' });
    await bobSocket.request('join_queue', { preferences: 'female' });
    await until(async () => (await readEvents(stack, sessionId)).some(({ type }) => type === 'ChatEnded'));
    await untilWithin(2_000, async () => (await stack.store.listKeys('{matching}:claims')).length === 0);
    // A remaining deadline would make a sweep end this chat, which the two users never saw.
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
        seq: SEQ_OF_END,
        reason: 'skipped',
        endedBy: ada.user.id,
      });
      expectOrderedSeq([...adaSockets, ...bobSockets]);
    });

    it('does not end the chat when the match was made too long ago', async () => {
      // With this window, every match is too old.
      jest.replaceProperty<{ leaveAsSkipWindowMs: number }, 'leaveAsSkipWindowMs'>(
        limits,
        'leaveAsSkipWindowMs',
        -1,
      );
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.request('leave_queue', {});
      await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobSocket.next('random_message')).toMatchObject({ seq: 2 });
    });

    it('never leaves the partner alone in a chat, whether the match or leave_queue comes first', async () => {
      const [ada, bob] = await createPair(stack);
      const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
      // Bob searches after Ada, so Bob's replica makes the match.
      const matching = stack.replicas[1]!.app.get(MatchQueueService);
      const confirm = matching.confirm.bind(matching);
      const rounds = 30;
      let matches = 0;
      for (let round = 0; round < rounds; round += 1) {
        await adaSocket.request('join_queue', { preferences: 'male' });
        const joinAsBob = () => bobSocket.ask('join_queue', { preferences: 'female' });
        const leaveAsAda = () => adaSocket.ask('leave_queue', {});
        // In turn: Ada leaves while Bob joins, after the match, or between the match and its confirmation.
        if (round % 3 === 0) await Promise.all([joinAsBob(), leaveAsAda()]);
        else if (round % 3 === 1) await joinAsBob().then(leaveAsAda);
        else {
          const confirmSpy = jest.spyOn(matching, 'confirm').mockImplementationOnce(async (match) => {
            await leaveAsAda();
            return confirm(match);
          });
          await joinAsBob();
          // `join_queue` is answered before the match is confirmed.
          await until(() => confirmSpy.mock.results.length);
          await confirmSpy.mock.results[0]?.value;
          confirmSpy.mockRestore();
        }
        // Bob either is still searching, or was in a chat that Ada has skipped.
        await until(
          async () =>
            (await readQueueState(stack, bob)) === 'searching' || bobSocket.all('chat_skipped').length > 0,
        );
        await until(async () => (await readQueueState(stack, ada)) === undefined);
        if (bobSocket.all('chat_matched').length > 0) {
          matches += 1;
          await bobSocket.next('chat_skipped');
          expect(bobSocket.all('chat_skipped')).toEqual([
            expect.objectContaining({ reason: 'skipped', endedBy: ada.user.id }),
          ]);
        }
        await bobSocket.request('leave_queue', {});
        await until(async () => (await readQueueState(stack, bob)) === undefined);
        expectOrderedSeq([adaSocket, bobSocket]);
        adaSocket.frames.length = bobSocket.frames.length = 0;
      }
      // In two of three rounds, Ada leaves after the match.
      expect(matches).toBeGreaterThanOrEqual((rounds * 2) / 3);
    });
  });
});
