// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import type { Redis } from 'ioredis';
import { limits } from '@thaw/contract/limits';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { RedisSubscriberService } from '../../../platform/realtime/redis-subscriber.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { shardOf, chatKeys, matchingKeys } from '../../../platform/redis/redis.keys';
import { estimateSlowdown } from '../../../testing/processor-load.probe';
import {
  type TestReplicas,
  quickChatSettings,
  startTestReplicas,
} from '../../../testing/test-replicas.harness';
import { type ThawSocket, type ThawVisitor, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { MatchmakingService } from '../../matching/application/matchmaking.service';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { LiveChatService } from './live-chat.service';

jest.setTimeout(60_000);

const isLong = process.env.THAW_TEST_LONG === '1';

describe('random chat', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(2, {
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: '4000',
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await thaw.closeSockets();
  });
  afterAll(() => thaw.close());

  interface Chat {
    ada: ThawVisitor;
    bob: ThawVisitor;
    /** Ada's sockets, on the first and the second replica in turn. */
    adas: ThawSocket[];
    bobs: ThawSocket[];
    sessionId: string;
  }

  const match = async (adas: readonly ThawSocket[], bobs: readonly ThawSocket[]): Promise<string> => {
    const known = adas[0]!.all('chat_matched').length;
    await adas[0]!.request('join_queue', { preferences: 'male' });
    await bobs[0]!.request('join_queue', { preferences: 'female' });
    const sockets = [...adas, ...bobs];
    await Promise.all(sockets.map((socket) => until(() => socket.all('chat_matched').length > known)));
    const ids = new Set(sockets.map((socket) => String(socket.all('chat_matched').at(-1)?.sessionId)));
    expect(ids.size).toBe(1);
    return [...ids][0]!;
  };

  /** Two users in a chat, with the given numbers of tabs, spread over both replicas. */
  const chatting = async (tabs: { ada: number; bob: number } = { ada: 1, bob: 1 }): Promise<Chat> => {
    const [ada, bob] = [await thaw.createVisitor(0, 'female'), await thaw.createVisitor(1, 'male')];
    const open = (visitor: ThawVisitor, count: number, first: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) => visitor.openSocket(thaw.origins[(first + index) % 2])),
      );
    const adas = await open(ada, tabs.ada, 0);
    const bobs = await open(bob, tabs.bob, 1);
    return { ada, bob, adas, bobs, sessionId: await match(adas, bobs) };
  };
  const stream = async (sessionId: string): Promise<{ id: string; type: string }[]> => {
    const entries = await thaw.store.redis.xrange(chatKeys(shardOf(sessionId)).stream(sessionId), '-', '+');
    return entries.map(([id, fields]) => ({ id, type: (JSON.parse(fields[1] ?? '{}') as { t: string }).t }));
  };
  const reach = (sockets: readonly ThawSocket[], sessionId: string, seq: number) =>
    Promise.all(sockets.map((socket) => until(() => socket.lastSeen(sessionId) >= seq)));
  const expectOrder = (sockets: readonly ThawSocket[]) => {
    for (const socket of sockets) expect(socket.disorders).toEqual([]);
  };
  const state = async (visitor: ThawVisitor): Promise<string | undefined> =>
    (await thaw.store.redis.hget(matchingKeys.user(visitor.user.id), 'state')) ?? undefined;

  describe('messages', () => {
    it('delivers messages both ways across two replicas, to every other tab of both users', async () => {
      const { ada, adas, bobs, sessionId } = await chatting({ ada: 2, bob: 2 });
      const all = [...adas, ...bobs];
      const ack = await adas[0]!.request('random_message', textMessage(sessionId, '  hello 🎉 ', 'c-1'));
      expect(ack).toEqual({
        id: expect.stringMatching(/^\d+-\d+$/),
        seq: 2,
        timestamp: new Date(Number(String(ack.id).split('-')[0])).toISOString(),
        clientId: 'c-1',
      });
      for (const socket of [adas[1]!, ...bobs]) {
        expect(await socket.next('random_message')).toEqual({
          sessionId,
          seq: 2,
          id: ack.id,
          senderId: ada.user.id,
          content: 'hello 🎉',
          type: 'text',
          timestamp: ack.timestamp,
          replyTo: null,
          clientId: 'c-1',
        });
      }
      const reply = {
        ...textMessage(sessionId, 'hi'),
        replyTo: { messageId: String(ack.id), content: 'forged' },
      };
      await bobs[1]!.request('random_message', reply);
      expect(await adas[0]!.next('random_message')).toMatchObject({
        seq: 3,
        replyTo: {
          messageId: ack.id,
          content: 'hello 🎉',
          senderId: ada.user.id,
          senderName: ada.user.username,
        },
      });
      await reach(all, sessionId, 3);
      expectOrder(all);
      expect(adas[0]!.all('random_message')).toHaveLength(1);
    });

    it('sends a message without a ref back to its sender, as to every other socket', async () => {
      const { adas, bobs, sessionId } = await chatting();
      adas[0]!.send({ event: 'random_message', data: textMessage(sessionId, 'no ref', 'c-9') });
      const [own, partners] = [await adas[0]!.next('random_message'), await bobs[0]!.next('random_message')];
      expect(own).toEqual(partners);
      expect(own).toMatchObject({ seq: 2, clientId: 'c-9' });
    });

    it('delivers concurrent messages of both users in one order, without a gap, on every socket', async () => {
      const { adas, bobs, sessionId } = await chatting({ ada: 2, bob: 2 });
      const all = [...adas, ...bobs];
      const each = 25;
      await Promise.all(
        all.map(async (socket, from) => {
          for (let index = 0; index < each; index += 1) {
            await socket.request('random_message', textMessage(sessionId, `${from}.${index}`));
          }
        }),
      );
      const last = 1 + all.length * each;
      await reach(all, sessionId, last);
      expectOrder(all);
      const log = await stream(sessionId);
      expect(log).toHaveLength(last);
      for (const [from, socket] of all.entries()) {
        const received = socket.all('random_message').map(({ id, content }) => ({ id, content }));
        expect(received).toHaveLength(last - 1 - each);
        const ids = received.map(({ id }) => log.findIndex((entry) => entry.id === id));
        expect(ids).toEqual([...ids].sort((one, other) => one - other));
        for (const sender of [0, 1, 2, 3].filter((other) => other !== from)) {
          const said = received.filter(({ content }) => String(content).startsWith(`${sender}.`));
          expect(said.map(({ content }) => content)).toEqual(
            Array.from({ length: each }, (_, index) => `${sender}.${index}`),
          );
        }
      }
    });

    it('acknowledges a repeated client id as before and does not send the message again', async () => {
      const { adas, bobs, sessionId } = await chatting({ ada: 2, bob: 1 });
      const all = [...adas, ...bobs];
      const ack = await adas[0]!.request('random_message', textMessage(sessionId, 'once', 'c-1'));
      expect(await adas[0]!.request('random_message', textMessage(sessionId, 'once', 'c-1'))).toEqual(ack);
      expect(await adas[1]!.request('random_message', textMessage(sessionId, 'changed', 'c-1'))).toEqual(ack);
      await bobs[0]!.request('random_message', textMessage(sessionId, 'mine', 'c-1'));
      await reach(all, sessionId, 3);
      expect(bobs[0]!.all('random_message')).toHaveLength(1);
      expect(await stream(sessionId)).toHaveLength(3);
      expectOrder(all);
    });

    it('stores one message when two tabs send the same client id at once', async () => {
      const { adas, bobs, sessionId } = await chatting({ ada: 2, bob: 1 });
      for (let round = 0; round < 20; round += 1) {
        const [one, other] = await Promise.all(
          adas.map((socket) =>
            socket.request('random_message', textMessage(sessionId, 'both', `c-${round}`)),
          ),
        );
        expect(one).toEqual(other);
      }
      await reach([...adas, ...bobs], sessionId, 21);
      expect(await stream(sessionId)).toHaveLength(21);
      expect(bobs[0]!.all('random_message')).toHaveLength(20);
    });

    it('acknowledges a retried message even after the end of the chat', async () => {
      const { adas, bobs, sessionId } = await chatting();
      const ack = await adas[0]!.request('random_message', textMessage(sessionId, 'last words', 'c-1'));
      await bobs[0]!.request('skip_chat', { sessionId });
      await adas[0]!.next('chat_skipped');
      expect(await adas[0]!.request('random_message', textMessage(sessionId, 'last words', 'c-1'))).toEqual(
        ack,
      );
      expect(await adas[0]!.ask('random_message', textMessage(sessionId, 'more', 'c-2'))).toMatchObject({
        data: { code: 'session_ended' },
      });
    });

    it('refuses frames from a user who is not in the session, without any effect', async () => {
      const { adas, bobs, sessionId } = await chatting();
      const eve = await (await thaw.createVisitor(0, 'female')).openSocket();
      const refusal = { event: 'error', data: { code: 'not_in_session' } };
      expect(await eve.ask('random_message', textMessage(sessionId, 'boo'))).toMatchObject(refusal);
      expect(await eve.ask('typing', { sessionId })).toMatchObject(refusal);
      expect(await eve.ask('skip_chat', { sessionId })).toMatchObject(refusal);
      expect(await eve.ask('random_message', textMessage('nowhere', 'boo'))).toMatchObject(refusal);
      await adas[0]!.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobs[0]!.next('random_message')).toMatchObject({ seq: 2 });
      expect(eve.frames.filter(({ ref }) => ref === undefined)).toEqual([]);
    });

    it.each([
      ['no text', { content: '   ' }, 'invalid_payload'],
      ['more than 2,000 characters', { content: 'x'.repeat(2_001) }, 'message_too_long'],
      ['a reply to nothing', { replyTo: { messageId: '1-1' } }, 'message_not_found'],
      ['a reply to no id', { replyTo: { messageId: 'x' } }, 'invalid_payload'],
      ['a type that users cannot send', { messageType: 'break_ice_reveal' }, 'invalid_payload'],
      ['a client id of 65 characters', { clientId: 'c'.repeat(65) }, 'invalid_payload'],
    ])('refuses a message with %s', async (_, part, code) => {
      const { adas, bobs, sessionId } = await chatting();
      const data = { ...textMessage(sessionId, 'x'), ...part } as never;
      expect(await adas[0]!.ask('random_message', data)).toMatchObject({ event: 'error', data: { code } });
      await adas[0]!.request('random_message', {
        ...textMessage(sessionId, 'next'),
        senderId: 0,
        id: '9-9',
      } as never);
      const { id, ...next } = await bobs[0]!.next('random_message');
      expect(next).toMatchObject({ seq: 2, senderId: adas[0]!.userId });
      expect(id).not.toBe('9-9');
    });
  });

  describe('a lost publication', () => {
    /** The replica's Redis connection for subscriptions. */
    const subscriberOf = (replica: number): Redis =>
      thaw.replicas[replica]!.app.get<{ subscriber: Redis }>(RedisSubscriberService).subscriber;
    const channelOf = (replica: number, sessionId: string): string =>
      chatKeys(shardOf(sessionId)).channel(thaw.replicas[replica]!.app.get(ReplicaLeaseService).replicaId);
    /** Later chats of the same shard use the same channel of the replica. */
    let mutedChannel = '';
    const mute = async (sessionId: string): Promise<void> => {
      mutedChannel = channelOf(1, sessionId);
      await subscriberOf(1).unsubscribe(mutedChannel);
    };
    afterEach(() => subscriberOf(1).subscribe(mutedChannel));

    it('is recovered in order when the next message arrives', async () => {
      const { adas, bobs, sessionId } = await chatting();
      await mute(sessionId);
      for (const content of ['one', 'two'])
        await adas[0]!.request('random_message', textMessage(sessionId, content));
      expect(bobs[0]!.lastSeen(sessionId)).toBe(1);
      await subscriberOf(1).subscribe(mutedChannel);
      await adas[0]!.request('random_message', textMessage(sessionId, 'three'));
      await reach(bobs, sessionId, 4);
      expect(bobs[0]!.all('random_message').map(({ content }) => content)).toEqual(['one', 'two', 'three']);
      expectOrder(bobs);
    });

    it('is recovered when the replica itself appends', async () => {
      const { adas, bobs, sessionId } = await chatting();
      await mute(sessionId);
      await adas[0]!.request('random_message', textMessage(sessionId, 'one'));
      expect(await bobs[0]!.request('random_message', textMessage(sessionId, 'two'))).toMatchObject({
        seq: 3,
      });
      expectOrder(bobs);
      expect(bobs[0]!.all('random_message').map(({ content }) => content)).toEqual(['one']);
    });

    it('is noticed within seconds when it was the last of its chat', async () => {
      const { adas, bobs, sessionId } = await chatting();
      await mute(sessionId);
      await adas[0]!.request('skip_chat', { sessionId });
      expect(await bobs[0]!.next('chat_skipped')).toMatchObject({ seq: 2, reason: 'skipped' });
    });
  });

  describe('typing', () => {
    it('is sent to every tab of the partner only, and is not acknowledged', async () => {
      const { ada, adas, bobs, sessionId } = await chatting({ ada: 2, bob: 2 });
      adas[0]!.send({ event: 'typing', data: { sessionId } });
      for (const socket of bobs) {
        expect(await socket.next('typing')).toEqual({ sessionId, userId: ada.user.id });
      }
      await adas[0]!.request('random_message', textMessage(sessionId, 'done'));
      await reach([...adas, ...bobs], sessionId, 2);
      for (const socket of adas) expect(socket.all('typing')).toEqual([]);
      expect(adas[0]!.frames.filter(({ event }) => event === 'ack')).toHaveLength(2); // join_queue, the message
    });

    it('is forwarded at most once per interval', async () => {
      const { adas, bobs, sessionId } = await chatting();
      for (let count = 0; count < 10; count += 1) adas[0]!.send({ event: 'typing', data: { sessionId } });
      await adas[0]!.request('random_message', textMessage(sessionId, 'done'));
      await reach(bobs, sessionId, 2);
      expect(bobs[0]!.all('typing')).toHaveLength(1);
    });
  });

  describe('the end of a chat', () => {
    it('is sent once to every other socket and frees both users', async () => {
      const { ada, bob, adas, bobs, sessionId } = await chatting({ ada: 2, bob: 2 });
      expect(await adas[0]!.request('skip_chat', { sessionId })).toEqual({ seq: 2 });
      for (const socket of [adas[1]!, ...bobs]) {
        expect(await socket.next('chat_skipped')).toEqual({
          sessionId,
          seq: 2,
          reason: 'skipped',
          endedBy: ada.user.id,
        });
      }
      await until(async () => (await state(ada)) === undefined && (await state(bob)) === undefined);
      expect(await bobs[1]!.request('skip_chat', { sessionId })).toEqual({ seq: 2 });
      expect((await stream(sessionId)).map(({ type }) => type)).toEqual(['ChatStarted', 'ChatEnded']);
      for (const socket of [...adas, ...bobs]) {
        expect(socket.all('chat_skipped').length).toBe(socket === adas[0] ? 0 : 1);
      }
      expectOrder([...adas, ...bobs]);
    });

    const times = isLong ? 1_000 : 200;
    it(
      `is stored once when both users skip at once, ${times} times, and both search again`,
      async () => {
        const [ada, bob] = [await thaw.createVisitor(0, 'female'), await thaw.createVisitor(1, 'male')];
        const open = (visitor: ThawVisitor) =>
          Promise.all(thaw.origins.map((origin) => visitor.openSocket(origin)));
        const [adas, bobs] = [await open(ada), await open(bob)];
        const all = [...adas, ...bobs];
        for (let round = 1; round <= times; round += 1) {
          const sessionId = await match(adas, bobs);
          const skippers = [adas[round % 2]!, bobs[(round >> 1) % 2]!];
          const acks = await Promise.all(
            skippers.map((socket) => socket.request('skip_chat', { sessionId })),
          );
          expect(acks).toEqual([{ seq: 2 }, { seq: 2 }]);
          // Both continue at once, as the application does; the tabs that did not skip receive the end once.
          await Promise.all(
            all
              .filter((socket) => !skippers.includes(socket))
              .map((socket) => socket.next('chat_skipped', (data) => data.sessionId === sessionId)),
          );
          const log = await stream(sessionId);
          expect(log.map(({ type }) => type)).toEqual(['ChatStarted', 'ChatEnded']);
          for (const socket of all) {
            const ends = socket.all('chat_skipped').filter((data) => data.sessionId === sessionId);
            expect(ends.length).toBeLessThanOrEqual(1);
            if (!skippers.includes(socket)) expect(ends).toHaveLength(1);
            socket.frames.length = 0;
          }
        }
        expectOrder(all);
      },
      isLong ? 900_000 : 60_000,
    );

    it('does not affect the next chat when a skip of the old one arrives late', async () => {
      const { adas, bobs, sessionId: old } = await chatting();
      await adas[0]!.request('skip_chat', { sessionId: old });
      await bobs[0]!.next('chat_skipped');
      const sessionId = await match(adas, bobs);
      expect(await bobs[0]!.request('skip_chat', { sessionId: old })).toEqual({ seq: 2 });
      expect(await adas[0]!.request('skip_chat', { sessionId: old })).toEqual({ seq: 2 });
      await adas[0]!.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobs[0]!.next('random_message', (data) => data.sessionId === sessionId)).toMatchObject({
        seq: 2,
      });
      expect(bobs[0]!.all('chat_skipped').filter((data) => data.sessionId === sessionId)).toEqual([]);
      expectOrder([...adas, ...bobs]);
    });

    it('leaves nothing in Redis but the stream and the outbox', async () => {
      const { ada, bob, adas, bobs, sessionId } = await chatting({ ada: 1, bob: 2 });
      for (let round = 0; round < 16; round += 1) {
        const tabs = await Promise.all(
          [0, 1, 0, 1].map(async (replica) => {
            const tab = await ada.connect(thaw.origins[replica]);
            tab.send({
              event: 'authenticate',
              data: { userId: ada.user.id, lastSeen: { sessionId, seq: 1 } },
            });
            if (round % 2) await tab.next('session_resumed');
            return tab;
          }),
        );
        await Promise.all(tabs.map((tab) => (round % 4 ? tab.leave() : tab.cut())));
      }
      await bobs[0]!.request('skip_chat', { sessionId });
      await adas[0]!.next('chat_skipped');
      const { prefix } = chatKeys(shardOf(sessionId));
      const left = () => thaw.store.keys(`${prefix.replace(/[{}]/g, '\\$&')}*`);
      const isExpected = (key: string) => /^\{shard\d+\}:(outbox|replicas|chat:.*)$/.test(key);
      await until(left, (keys) => keys.every(isExpected));
      for (const { id } of [ada.user, bob.user]) {
        await until(async () => (await thaw.store.keys(`{matching}:user:${id}`)).length === 0);
      }
      const { app } = thaw.replicas[0]!;
      await until(() => app.get(LiveChatService).size === 0);
    });
  });

  it('aborts a chat whose match was released before it was confirmed, and leaves no claim', async () => {
    const [ada, bob] = [await thaw.createVisitor(0, 'female'), await thaw.createVisitor(1, 'male')];
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    const matching = thaw.replicas[1]!.app.get(MatchQueueService);
    const confirm = matching.confirm.bind(matching);
    let sessionId = '';
    jest.spyOn(matching, 'confirm').mockImplementationOnce(async (claimed) => {
      ({ sessionId } = claimed);
      await matching.finish(claimed);
      return confirm(claimed);
    });
    await adaSocket.request('join_queue', { preferences: 'male' });
    await bobSocket.request('join_queue', { preferences: 'female' });
    await until(async () => (await stream(sessionId)).some(({ type }) => type === 'ChatEnded'));
    await until(async () => (await thaw.store.keys('{matching}:claims')).length === 0, Boolean, 2_000);
    // No deadline is left either: it would end a chat for the two users that they never had.
    await until(async () => {
      const deadlines = await thaw.store.redis.zrange(chatKeys(shardOf(sessionId)).deadlines, '0', '-1');
      return !deadlines.some((member) => member.startsWith(sessionId));
    });
    expect(adaSocket.all('chat_matched')).toEqual([]);
  });

  describe('leave_queue that crosses a match', () => {
    it('counts as a skip soon after the match', async () => {
      const { ada, adas, bobs, sessionId } = await chatting();
      expect(await adas[0]!.ask('leave_queue', {})).toMatchObject({ event: 'ack' });
      expect(await bobs[0]!.next('chat_skipped')).toEqual({
        sessionId,
        seq: 2,
        reason: 'skipped',
        endedBy: ada.user.id,
      });
      expectOrder([...adas, ...bobs]);
    });

    it('does not end the chat later', async () => {
      jest.replaceProperty<{ leaveCountsAsSkipWithinMs: number }, 'leaveCountsAsSkipWithinMs'>(
        limits,
        'leaveCountsAsSkipWithinMs',
        -1,
      );
      const { adas, bobs, sessionId } = await chatting();
      await adas[0]!.request('leave_queue', {});
      await adas[0]!.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobs[0]!.next('random_message')).toMatchObject({ seq: 2 });
    });

    it('never leaves the partner alone in a chat, whichever comes first', async () => {
      const [ada, bob] = [await thaw.createVisitor(0, 'female'), await thaw.createVisitor(1, 'male')];
      const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
      const matching = thaw.replicas[1]!.app.get(MatchQueueService);
      const confirm = matching.confirm.bind(matching);
      let matches = 0;
      for (let round = 0; round < 30; round += 1) {
        await adaSocket.request('join_queue', { preferences: 'male' });
        const joining = () => bobSocket.ask('join_queue', { preferences: 'female' });
        const leaving = () => adaSocket.ask('leave_queue', {});
        if (round % 3 === 0) await Promise.all([joining(), leaving()]);
        else if (round % 3 === 1) await joining().then(leaving);
        else {
          // The first user leaves between the match and the start of the chat.
          const left = jest.spyOn(matching, 'confirm').mockImplementationOnce(async (match) => {
            await leaving();
            return confirm(match);
          });
          await joining();
          await until(() => left.mock.results.length);
          await left.mock.results[0]?.value;
          left.mockRestore();
        }
        // The partner either is still searching, or was matched and skipped.
        await until(
          async () => (await state(bob)) === 'searching' || bobSocket.all('chat_skipped').length > 0,
        );
        expect(
          await until(
            () => state(ada),
            (is) => is === undefined,
          ),
        ).toBeUndefined();
        if (bobSocket.all('chat_matched').length > 0) {
          matches += 1;
          await bobSocket.next('chat_skipped');
          expect(bobSocket.all('chat_skipped')).toEqual([
            expect.objectContaining({ reason: 'skipped', endedBy: ada.user.id }),
          ]);
        }
        await bobSocket.request('leave_queue', {});
        await until(async () => (await state(bob)) === undefined);
        expectOrder([adaSocket, bobSocket]);
        adaSocket.frames.length = bobSocket.frames.length = 0;
      }
      expect(matches).toBeGreaterThanOrEqual(20);
    });
  });

  describe('a participant who reconnects', () => {
    const resumed = (socket: ThawSocket) => socket.all('session_resumed');
    const resumedEvents = (socket: ThawSocket) =>
      resumed(socket).flatMap(({ events }) => events as { event: string; data: Record<string, unknown> }[]);

    it('receives the whole chat after a reload, on any replica', async () => {
      const { ada, bob, adas, bobs, sessionId } = await chatting();
      await adas[0]!.request('random_message', textMessage(sessionId, 'one'));
      await bobs[0]!.request('random_message', textMessage(sessionId, 'two'));
      await adas[0]!.leave();
      const back = await ada.connect(thaw.origins[1]);
      expect((await back.ask('authenticate', { userId: ada.user.id })).data).toEqual({
        userId: ada.user.id,
        state: 'chatting',
      });
      const { username } = bob.user;
      expect(await back.next('session_resumed')).toMatchObject({
        sessionId,
        seq: 3,
        partnerId: bob.user.id,
        partnerInfo: { id: bob.user.id, username, isOnline: true },
        partnerConnection: 'connected',
        last: true,
      });
      expect(resumedEvents(back).map(({ event, data }) => [event, data.seq, data.content])).toEqual([
        ['chat_matched', 1, undefined],
        ['random_message', 2, 'one'],
        ['random_message', 3, 'two'],
      ]);
      await bobs[0]!.request('random_message', textMessage(sessionId, 'three'));
      expect(await back.next('random_message')).toMatchObject({ seq: 4 });
      await back.request('random_message', textMessage(sessionId, 'four'));
      await reach(bobs, sessionId, 5);
      expectOrder([back, ...bobs]);
    });

    it('receives only the missed events, once, after a lost connection', async () => {
      const { ada, adas, bobs, sessionId } = await chatting();
      await adas[0]!.request('random_message', textMessage(sessionId, 'one', 'c-1'));
      await adas[0]!.cut();
      await bobs[0]!.next('partner_connection');
      await bobs[0]!.request('random_message', textMessage(sessionId, 'two'));
      const back = await ada.openSocket(thaw.origins[1], { sessionId, seq: 2 });
      await back.next('session_resumed');
      expect(resumedEvents(back).map(({ data }) => data.seq)).toEqual([3]);
      expect(await back.request('random_message', textMessage(sessionId, 'one', 'c-1'))).toMatchObject({
        seq: 2,
      });
      expect(back.all('chat_matched')).toEqual([]);
    });

    it('receives an empty resume when no event was missed', async () => {
      const { ada, adas, sessionId } = await chatting();
      await adas[0]!.cut();
      const back = await ada.openSocket(undefined, { sessionId, seq: 1 });
      expect(await back.next('session_resumed')).toMatchObject({ seq: 1, events: [], last: true });
    });

    it('receives the events after a gap when authenticating again on the same socket', async () => {
      const { ada, adas, bobs, sessionId } = await chatting();
      await bobs[0]!.request('random_message', textMessage(sessionId, 'one'));
      await bobs[0]!.request('random_message', textMessage(sessionId, 'two'));
      await reach(adas, sessionId, 3);
      await adas[0]!.request('authenticate', { userId: ada.user.id, lastSeen: { sessionId, seq: 2 } });
      expect(await adas[0]!.next('session_resumed')).toMatchObject({ seq: 3, last: true });
      expect(resumedEvents(adas[0]!).map(({ data }) => data.content)).toEqual(['two']);
      await bobs[0]!.request('random_message', textMessage(sessionId, 'three'));
      expect(await adas[0]!.next('random_message', ({ seq }) => seq === 4)).toMatchObject({
        content: 'three',
      });
      expect(adas[0]!.all('random_message')).toHaveLength(3);
    });

    it('receives a long chat in pages of at most 64 KB, without a gap', async () => {
      const { ada, adas, bobs, sessionId } = await chatting();
      const content = '🎉"\n'.repeat(600);
      for (let count = 0; count < 40; count += 1) {
        await bobs[0]!.request('random_message', textMessage(sessionId, content));
      }
      await reach(adas, sessionId, 41);
      const back = await ada.openSocket(thaw.origins[1]);
      await back.next('session_resumed', ({ last }) => last === true);
      const frames = resumed(back);
      expect(frames.length).toBeGreaterThan(2);
      for (const frame of frames) {
        const bytes = Buffer.byteLength(JSON.stringify({ event: 'session_resumed', data: frame }));
        expect(bytes).toBeLessThanOrEqual(limits.resumeFrameMaxBytes);
      }
      expect(frames.map(({ last }) => last)).toEqual([...frames.slice(1).map(() => false), true]);
      expect(resumedEvents(back).map(({ data }) => data.seq)).toEqual(
        Array.from({ length: 41 }, (_, index) => index + 1),
      );
      let seq = 0;
      for (const frame of frames) {
        seq += (frame.events as unknown[]).length;
        expect(frame.seq).toBe(seq);
      }
    });

    it('joins a chat that starts in another tab meanwhile', async () => {
      const [ada, bob] = [await thaw.createVisitor(0, 'female'), await thaw.createVisitor(1, 'male')];
      const adaSocket = await ada.openSocket();
      const bobSocket = await bob.openSocket();
      const queue = thaw.replicas[1]!.app.get(MatchQueueService);
      const resume = queue.resume.bind(queue);
      // The match is made after the second tab has read the user's state and before it receives the answer.
      jest.spyOn(queue, 'resume').mockImplementationOnce(async (userId) => {
        const place = await resume(userId);
        await match([adaSocket], [bobSocket]);
        return place;
      });
      const late = await ada.openSocket(thaw.origins[1]);
      expect(await late.next('chat_matched')).toMatchObject({ partnerId: bob.user.id });
    });

    it('joins a search that starts in another tab meanwhile', async () => {
      const ada = await thaw.createVisitor(0, 'female');
      const adaSocket = await ada.openSocket();
      const queue = thaw.replicas[1]!.app.get(MatchQueueService);
      const resume = queue.resume.bind(queue);
      jest.spyOn(queue, 'resume').mockImplementationOnce(async (userId) => {
        const place = await resume(userId);
        await adaSocket.request('join_queue', { preferences: 'male' });
        return place;
      });
      const late = await ada.openSocket(thaw.origins[1]);
      expect(await late.next('queue_joined')).toMatchObject({ preferences: 'male' });
    });

    it('receives every message exactly once while the partner keeps sending', async () => {
      const { ada, adas, bobs, sessionId } = await chatting({ ada: 1, bob: 1 });
      let isTalking = true;
      const talking = (async () => {
        let said = 0;
        for (; isTalking; said += 1)
          await bobs[0]!.request('random_message', textMessage(sessionId, `${said}`));
        return said;
      })();
      const received: number[] = [];
      let socket = adas[0]!;
      for (let round = 0; round < 12; round += 1) {
        await (round % 2 ? socket.cut() : socket.leave());
        const seen = socket.lastSeen(sessionId);
        socket = await ada.openSocket(thaw.origins[round % 2], { sessionId, seq: seen });
        await socket.next('session_resumed', ({ last }) => last === true);
        await until(() => socket.all('random_message').length > 1);
        const { frames, disorders } = socket;
        received.length = 0;
        for (const { event, data } of frames) {
          if (event === 'session_resumed') {
            received.push(...(data.events as { data: { seq: number } }[]).map((missed) => missed.data.seq));
          } else if (event === 'random_message') received.push(Number(data.seq));
        }
        expect(received).toEqual(Array.from(received, (_, index) => seen + 1 + index));
        expect(disorders.filter((disorder) => !disorder.includes(`${sessionId}: 0 →`))).toEqual([]);
      }
      isTalking = false;
      const said = await talking;
      await reach([socket], sessionId, 1 + said);
    });

    it('receives the end of a chat that ended meanwhile', async () => {
      const { ada, adas, bobs, sessionId } = await chatting();
      await adas[0]!.cut();
      await bobs[0]!.request('skip_chat', { sessionId });
      const back = await ada.connect(thaw.origins[1]);
      const lastSeen = { sessionId, seq: 1 };
      const answer = await back.ask('authenticate', { userId: ada.user.id, lastSeen });
      expect(answer.data).toMatchObject({ state: 'idle' });
      expect(await back.next('chat_skipped')).toMatchObject({ sessionId, seq: 2, reason: 'skipped' });
      const again = await ada.openSocket(undefined, { sessionId, seq: 2 });
      await again.request('join_queue', {});
      expect(again.all('chat_skipped')).toEqual([]);
      const unknown = await ada.openSocket(undefined, { sessionId: 'long-gone', seq: 7 });
      expect(await unknown.next('chat_skipped')).toEqual({
        sessionId: 'long-gone',
        seq: 8,
        reason: 'disconnected',
        endedBy: null,
      });
    });

    it.each([
      ['asked where its user is', MatchmakingService, 'resume'],
      ['brought back into the chat', ChatPresenceService, 'join'],
    ] as const)(
      'is closed with 1011 when the socket cannot be %s, and is resumed on the next attempt',
      async (_, part, method) => {
        const { ada, adas, bobs, sessionId } = await chatting();
        await adas[0]!.cut();
        const away = new Error('Connection is closed.');
        jest
          .spyOn(thaw.replicas[0]!.app.get<ChatPresenceService>(part), method as 'join')
          .mockRejectedValueOnce(away);
        const lastSeen = { sessionId, seq: 1 };
        const back = await ada.connect(thaw.origins[0]);
        back.send({ event: 'authenticate', data: { userId: ada.user.id, lastSeen } });
        expect(await back.closed).toBe(1011);
        const again = await ada.openSocket(thaw.origins[0], lastSeen);
        await again.next('session_resumed');
        await bobs[0]!.request('random_message', textMessage(sessionId, 'welcome back'));
        expect(await again.next('random_message')).toMatchObject({ seq: 2 });
      },
    );

    it('resumes a new chat after joining it failed', async () => {
      const [ada, bob] = [await thaw.createVisitor(0, 'female'), await thaw.createVisitor(1, 'male')];
      const [adas, bobs] = [await ada.openSocket(), await bob.openSocket()];
      const away = new Error('Connection is closed.');
      jest.spyOn(thaw.replicas[0]!.app.get(ChatPresenceService), 'join').mockRejectedValueOnce(away);
      await adas.request('join_queue', { preferences: 'male' });
      await bobs.request('join_queue', { preferences: 'female' });
      expect(await adas.closed).toBe(1011);
      const { sessionId } = await bobs.next('chat_matched');
      const again = await ada.openSocket(thaw.origins[0], { sessionId: String(sessionId), seq: 0 });
      expect(await again.next('session_resumed')).toMatchObject({ sessionId, seq: 1 });
    });

    it('receives nothing about the chats of other users', async () => {
      const { sessionId, bobs } = await chatting();
      const eve = await thaw.createVisitor(0, 'female');
      const socket = await eve.openSocket(undefined, { sessionId, seq: 0 });
      await bobs[0]!.request('skip_chat', { sessionId });
      await eve.openSocket(undefined, { sessionId, seq: 0 });
      expect(socket.frames.map(({ event }) => event)).toEqual(['authenticated']);
    });
  });

  describe('a partner who is away', () => {
    it('is reported as reconnecting at once, and as connected after the return', async () => {
      const { ada, adas, bobs, sessionId } = await chatting({ ada: 1, bob: 2 });
      const before = Date.now();
      await adas[0]!.cut();
      for (const socket of bobs) {
        expect(await socket.next('partner_connection')).toEqual({ sessionId, state: 'reconnecting' });
      }
      // Takes about a second on an idle machine; a dead replica is noticed after four seconds at the earliest.
      expect(Date.now() - before).toBeLessThan(3_000 * estimateSlowdown());
      const third = bobs[0]!;
      expect(third.all('chat_skipped')).toEqual([]);
      await ada.openSocket(thaw.origins[1], { sessionId, seq: 1 });
      for (const socket of bobs) {
        expect(await socket.next('partner_connection', (data) => data.state === 'connected')).toBeTruthy();
        expect(socket.all('partner_connection')).toHaveLength(2);
      }
    });

    it('is reported in a resume as well', async () => {
      const { ada, adas, bob, bobs, sessionId } = await chatting();
      await adas[0]!.cut();
      await bobs[0]!.next('partner_connection');
      const back = await bob.openSocket(thaw.origins[0], { sessionId, seq: 1 });
      expect(await back.next('session_resumed')).toMatchObject({
        partnerConnection: 'reconnecting',
        partnerInfo: { isOnline: false },
      });
      await ada.openSocket(thaw.origins[1], { sessionId, seq: 1 });
      expect(await back.next('partner_connection')).toEqual({ sessionId, state: 'connected' });
    });

    it('is not reported as away while another tab is open', async () => {
      const { adas, bobs, sessionId } = await chatting({ ada: 2, bob: 1 });
      await adas[0]!.cut();
      await adas[1]!.request('random_message', textMessage(sessionId, 'here'));
      await reach(bobs, sessionId, 2);
      expect(bobs[0]!.all('partner_connection')).toEqual([]);
    });

    it('is awaited longer after a lost connection than after a clean close, and can return to the chat', async () => {
      // A replica sweeps only after it has been up for the duration of a lease.
      await until(() => thaw.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
      const [closed, cut, returned] = [await chatting(), await chatting(), await chatting()];
      const startedAt = Date.now();
      const end = async ({ bobs }: Chat) => {
        const data = await bobs[0]!.next('chat_skipped');
        return { data, afterMs: Date.now() - startedAt };
      };
      await Promise.all([closed.adas[0]!.leave(), cut.adas[0]!.cut(), returned.adas[0]!.leave()]);
      const back = await returned.ada.openSocket(thaw.origins[1], { sessionId: returned.sessionId, seq: 1 });
      const [early, late] = await Promise.all([end(closed), end(cut)]);
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
      await returned.bobs[0]!.request('random_message', textMessage(returned.sessionId, 'welcome back'));
      expect(await back.next('random_message')).toMatchObject({ seq: 2 });
      const bobs = closed.bobs[0]!;
      expect(await bobs.ask('join_queue', { preferences: 'female' })).toMatchObject({ event: 'ack' });
      const home = await closed.ada.openSocket(undefined, { sessionId: closed.sessionId, seq: 1 });
      expect(await home.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
    });

    it('leaves no deadline behind when the other user skips meanwhile', async () => {
      const { adas, bobs, sessionId } = await chatting();
      await adas[0]!.leave();
      await bobs[0]!.next('partner_connection');
      await bobs[0]!.request('skip_chat', { sessionId });
      await until(async () => {
        const deadlines = await thaw.store.redis.zrange(chatKeys(shardOf(sessionId)).deadlines, '0', '-1');
        return !deadlines.some((member) => member.startsWith(sessionId));
      });
      expect((await stream(sessionId)).map(({ type }) => type)).toEqual(['ChatStarted', 'ChatEnded']);
    });
  });
});
