// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process. A user has
// one socket for each tab; `adaSocket` is the first of `adaSockets`. Of the two ways to send a frame, `request` throws
// when the answer is an error, and `ask` returns it.
import type { Redis } from 'ioredis';
import { RedisSubscriberService } from '../../../platform/realtime/redis-subscriber.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { expectOrderedSeq, readEvents, startChat, waitForSeq } from '../../../testing/random-chat.fixture';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { textMessage } from '../../../testing/thaw.client';

jest.setTimeout(60_000);

describe('random chat: delivery', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, { ...quickChatSettings, GRACE_AFTER_LOSS_MS: '4000' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  describe('messages', () => {
    it('delivers messages both ways across two replicas, to the other tabs of both users', async () => {
      const { ada, bob, adaSocket, adaSockets, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 2,
      });
      const allSockets = [...adaSockets, ...bobSockets];
      const ack = await adaSocket.request('random_message', textMessage(sessionId, '  hello 🎉 ', 'c-1'));
      expect(ack).toEqual({
        id: expect.stringMatching(/^\d+-\d+$/),
        seq: 2,
        timestamp: new Date(Number(String(ack.id).split('-')[0])).toISOString(),
        clientId: 'c-1',
      });
      for (const socket of [adaSockets[1]!, ...bobSockets]) {
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
      await bobSockets[1]!.request('random_message', textMessage(sessionId, 'hi'));
      expect(await adaSocket.next('random_message')).toMatchObject({ seq: 3, senderId: bob.user.id });
      await waitForSeq(allSockets, sessionId, 3);
      expectOrderedSeq(allSockets);
      expect(adaSocket.all('random_message')).toHaveLength(1); // Ada's own message is only acknowledged
    });

    it('quotes the stored message in a reply, whatever content the client sends as the quote', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'hello 🎉'));
      const reply = {
        ...textMessage(sessionId, 'hi'),
        replyTo: { messageId: String(id), content: 'forged' },
      };
      await bobSocket.request('random_message', reply);
      expect(await adaSocket.next('random_message')).toMatchObject({
        seq: 3,
        replyTo: {
          messageId: id,
          content: 'hello 🎉',
          senderId: ada.user.id,
          senderName: ada.user.username,
        },
      });
    });

    it('sends a message without a ref to its sender too, with the same data as to the partner', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      // `send` adds no ref. With a ref, the sender would receive an ack instead.
      adaSocket.send({ event: 'random_message', data: textMessage(sessionId, 'no ref', 'c-9') });
      const dataForSender = await adaSocket.next('random_message');
      expect(dataForSender).toEqual(await bobSocket.next('random_message'));
      expect(dataForSender).toMatchObject({ seq: 2, clientId: 'c-9' });
    });

    it('delivers concurrent messages of both users in one order, without a gap, on every socket', async () => {
      const { adaSockets, bobSockets, sessionId } = await startChat(stack, { adaTabs: 2, bobTabs: 2 });
      const allSockets = [...adaSockets, ...bobSockets];
      const messagesPerSocket = 25;
      const listContents = (senderIndex: number): string[] =>
        Array.from({ length: messagesPerSocket }, (_, index) => `${senderIndex}.${index}`);
      await Promise.all(
        allSockets.map(async (socket, senderIndex) => {
          for (const content of listContents(senderIndex))
            await socket.request('random_message', textMessage(sessionId, content));
        }),
      );
      const lastSeq = 1 + allSockets.length * messagesPerSocket; // the start of the chat, and the messages
      await waitForSeq(allSockets, sessionId, lastSeq);
      expectOrderedSeq(allSockets);
      const eventIds = (await readEvents(stack, sessionId)).map(({ id }) => id);
      expect(eventIds).toHaveLength(lastSeq);
      for (const [receiverIndex, socket] of allSockets.entries()) {
        const received = socket.all('random_message');
        // A socket does not receive its own messages.
        expect(received).toHaveLength((allSockets.length - 1) * messagesPerSocket);
        const receivedIds = received.map(({ id }) => String(id));
        expect(receivedIds).toEqual(eventIds.filter((id) => receivedIds.includes(id)));
        const contents = received.map(({ content }) => String(content));
        for (const senderIndex of allSockets.keys()) {
          if (senderIndex === receiverIndex) continue;
          const contentsOfSender = contents.filter((content) => content.startsWith(`${senderIndex}.`));
          expect(contentsOfSender).toEqual(listContents(senderIndex));
        }
      }
    });

    it('acknowledges a repeated client id of a user with the same ack and sends the message only once', async () => {
      const { adaSocket, adaSockets, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 1,
      });
      const allSockets = [...adaSockets, ...bobSockets];
      const ack = await adaSocket.request('random_message', textMessage(sessionId, 'once', 'c-1'));
      expect(await adaSocket.request('random_message', textMessage(sessionId, 'once', 'c-1'))).toEqual(ack);
      expect(
        await adaSockets[1]!.request('random_message', textMessage(sessionId, 'changed', 'c-1')),
      ).toEqual(ack);
      // Client ids are compared per sender, so Bob's message is not a repetition of Ada's.
      await bobSocket.request('random_message', textMessage(sessionId, 'mine', 'c-1'));
      await waitForSeq(allSockets, sessionId, 3);
      expect(bobSocket.all('random_message')).toHaveLength(1);
      expect(await readEvents(stack, sessionId)).toHaveLength(3);
      expectOrderedSeq(allSockets);
    });

    it('stores one message when two tabs send the same client id at the same time', async () => {
      const { adaSockets, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 1,
      });
      const rounds = 20;
      for (let round = 0; round < rounds; round += 1) {
        const [firstAck, secondAck] = await Promise.all(
          adaSockets.map((socket) =>
            socket.request('random_message', textMessage(sessionId, 'both', `c-${round}`)),
          ),
        );
        expect(firstAck).toEqual(secondAck);
      }
      const lastSeq = 1 + rounds;
      await waitForSeq([...adaSockets, ...bobSockets], sessionId, lastSeq);
      expect(await readEvents(stack, sessionId)).toHaveLength(lastSeq);
      expect(bobSocket.all('random_message')).toHaveLength(rounds);
    });

    it('acknowledges a retried message even after the end of the chat', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      const ack = await adaSocket.request('random_message', textMessage(sessionId, 'last words', 'c-1'));
      await bobSocket.request('skip_chat', { sessionId });
      await adaSocket.next('chat_skipped');
      expect(await adaSocket.request('random_message', textMessage(sessionId, 'last words', 'c-1'))).toEqual(
        ack,
      );
      expect(await adaSocket.ask('random_message', textMessage(sessionId, 'more', 'c-2'))).toMatchObject({
        data: { code: 'session_ended' },
      });
    });

    it('refuses frames from a user who is not in the session, without any effect', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      const eveSocket = await (await stack.createVisitor(0, 'female')).openSocket();
      const refusal = { event: 'error', data: { code: 'not_in_session' } };
      const toUnknownSession = textMessage('nowhere', 'boo');
      expect(await eveSocket.ask('random_message', textMessage(sessionId, 'boo'))).toMatchObject(refusal);
      expect(await eveSocket.ask('typing', { sessionId })).toMatchObject(refusal);
      expect(await eveSocket.ask('skip_chat', { sessionId })).toMatchObject(refusal);
      expect(await eveSocket.ask('random_message', toUnknownSession)).toMatchObject(refusal);
      // The refused frames have appended no event: the start of the chat is 1.
      await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
      expect(await bobSocket.next('random_message')).toMatchObject({ seq: 2 });
      // Eve received only answers, which have a ref.
      expect(eveSocket.frames.filter(({ ref }) => ref === undefined)).toEqual([]);
    });

    it.each([
      ['no text', { content: '   ' }, 'invalid_payload'],
      ['more than 2,000 characters', { content: 'x'.repeat(2_001) }, 'message_too_long'],
      ['a reply to an unknown message', { replyTo: { messageId: '1-1' } }, 'message_not_found'],
      ['a reply to a malformed id', { replyTo: { messageId: 'x' } }, 'invalid_payload'],
      ['a type that users cannot send', { messageType: 'break_ice_reveal' }, 'invalid_payload'],
      ['a client id of 65 characters', { clientId: 'c'.repeat(65) }, 'invalid_payload'],
    ])('refuses a message with %s, and stores the next message', async (_description, invalidPart, code) => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      const data = { ...textMessage(sessionId, 'x'), ...invalidPart } as never; // the types refuse some of the parts
      expect(await adaSocket.ask('random_message', data)).toMatchObject({ event: 'error', data: { code } });
      await adaSocket.request('random_message', textMessage(sessionId, 'next'));
      expect(await bobSocket.next('random_message')).toMatchObject({ seq: 2, content: 'next' });
    });

    it('ignores a sender id and a message id from the client', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      const forgedIds = { senderId: 0, id: '9-9' };
      await adaSocket.request('random_message', {
        ...textMessage(sessionId, 'hello'),
        ...forgedIds,
      });
      const { id, senderId } = await bobSocket.next('random_message');
      expect(senderId).toBe(adaSocket.userId);
      expect(id).not.toBe(forgedIds.id);
    });
  });

  describe('a lost publication', () => {
    // `startChat` puts Ada's first tab on replica 0, and Bob's on replica 1.
    const getBobsApp = () => stack.replicas[1]!.app;
    /** Runs a Redis command on the subscription connections of Bob's replica: one for each node of a cluster. */
    const runOnSubscriptions = (command: (connection: Redis) => Promise<unknown>): Promise<unknown> => {
      const { connectionsByServer } = getBobsApp().get<{
        connectionsByServer: Map<string, { redis: Redis }>;
      }>(RedisSubscriberService);
      // Only the node that owns the channel accepts the command.
      return Promise.any([...connectionsByServer.values()].map(({ redis }) => command(redis)));
    };
    let mutedChannel: string;
    /** Makes Bob's replica miss the publications of the chat. */
    const mute = (sessionId: string): Promise<unknown> => {
      const { replicaId } = getBobsApp().get(ReplicaLeaseService);
      mutedChannel = chatKeys(findShard(sessionId)).channel(replicaId);
      return runOnSubscriptions((connection) => connection.sunsubscribe(mutedChannel));
    };
    const unmute = (): Promise<unknown> =>
      runOnSubscriptions((connection) => connection.ssubscribe(mutedChannel));
    afterEach(unmute); // later chats of the shard use the channel, too

    it('is recovered together with a second one, in order, when the next message arrives', async () => {
      const { adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack);
      await mute(sessionId);
      for (const content of ['one', 'two'])
        await adaSocket.request('random_message', textMessage(sessionId, content));
      expect(bobSocket.getLastSeq(sessionId)).toBe(1); // the start of the chat
      await unmute();
      await adaSocket.request('random_message', textMessage(sessionId, 'three'));
      await waitForSeq(bobSockets, sessionId, 4);
      expect(bobSocket.all('random_message').map(({ content }) => content)).toEqual(['one', 'two', 'three']);
      expectOrderedSeq(bobSockets);
    });

    it('is recovered when the replica that missed it appends an event', async () => {
      const { adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack);
      await mute(sessionId);
      await adaSocket.request('random_message', textMessage(sessionId, 'one'));
      expect(await bobSocket.request('random_message', textMessage(sessionId, 'two'))).toMatchObject({
        seq: 3,
      });
      expectOrderedSeq(bobSockets);
      // Bob's own message is only acknowledged.
      expect(bobSocket.all('random_message').map(({ content }) => content)).toEqual(['one']);
    });

    it('is recovered even if no later publication follows', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      await mute(sessionId);
      await adaSocket.request('skip_chat', { sessionId });
      // Each replica compares its chats with Redis every `COMPARE_EVERY_MS`, five seconds.
      expect(await bobSocket.next('chat_skipped')).toMatchObject({ seq: 2, reason: 'skipped' });
    });
  });

  describe('a typing frame', () => {
    it('reaches every tab of the partner but no tab of the sender, and is not acknowledged', async () => {
      const { ada, adaSocket, adaSockets, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 2,
      });
      adaSocket.send({ event: 'typing', data: { sessionId } });
      for (const socket of bobSockets) {
        expect(await socket.next('typing')).toEqual({ sessionId, userId: ada.user.id });
      }
      await adaSocket.request('random_message', textMessage(sessionId, 'done'));
      await waitForSeq([...adaSockets, ...bobSockets], sessionId, 2);
      for (const socket of adaSockets) expect(socket.all('typing')).toEqual([]);
      const acks = adaSocket.frames.filter(({ event }) => event === 'ack');
      expect(acks).toHaveLength(2); // of join_queue and of the message
    });

    it('reaches the partner only once when a client repeats it without a pause', async () => {
      const { adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack);
      for (let count = 0; count < 10; count += 1) adaSocket.send({ event: 'typing', data: { sessionId } });
      await adaSocket.request('random_message', textMessage(sessionId, 'done'));
      await waitForSeq(bobSockets, sessionId, 2);
      expect(bobSocket.all('typing')).toHaveLength(1);
    });
  });
});
