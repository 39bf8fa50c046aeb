// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. Chats are copied to PostgreSQL as the
// worker does.
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { REDIS } from '../../../platform/redis/redis.module';
import { appendMessages } from '../../../testing/filled-chat.fixture';
import { dropLiveChat, persistChat } from '../../../testing/persisted-chat.fixture';
import {
  createConnectedFriends,
  createPrivateMessage,
  uploadChatImage,
} from '../../../testing/private-chat.fixture';
import { readEvents, startChat } from '../../../testing/random-chat.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { textMessage } from '../../../testing/thaw.client';
import { ChatTranscriptService } from '../../random-chat/application/chat-transcript.service';
import { EvidenceService, type SealedEvidence, type TakenEvidence } from './evidence.service';

jest.setTimeout(60_000);

const parseContent = ({ json }: TakenEvidence): SealedEvidence => JSON.parse(json) as SealedEvidence;
/** The evidence without the numbers of its images, which differ each time. */
const toComparable = (taken: TakenEvidence): unknown =>
  JSON.parse(taken.json.replace(/"imageId":\d+/g, '"imageId":0'));
const listTexts = (taken: TakenEvidence): (string | undefined)[] =>
  parseContent(taken).messages.map(({ versions }) => versions.at(-1));
const createNumberedTexts = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `message ${index + 1}`);

describe('evidence', () => {
  let stack: TestStack;
  let evidence: EvidenceService;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
    evidence = stack.replicas[0]!.app.get(EvidenceService);
  });
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  describe('of a random chat', () => {
    /** A chat with messages that were appended without a socket. */
    const createFilledChat = async (contents: readonly string[]) => {
      const chat = await startChat(stack);
      await appendMessages(stack.replicas[0]!, chat.sessionId, chat.bob.user.id, contents);
      const userIds = [chat.ada.user.id, chat.bob.user.id];
      const take = (markedIds: string[] = []) =>
        evidence.takeFromRandomChat(chat.sessionId, userIds, markedIds);
      return { ...chat, take };
    };
    const readMessageIds = async (sessionId: string): Promise<string[]> => {
      const { messages } = await stack.replicas[0]!.app.get(ChatTranscriptService).read(sessionId, {
        newestCount: Number.MAX_SAFE_INTEGER,
        messageIds: [],
      });
      return messages.map(({ id }) => id);
    };

    it('contains both users, all versions and the images of each message, and the hash of its text', async () => {
      const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat(stack);
      const url = await uploadChatImage(stack.replicas[1]!, bob);
      const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'first'));
      const mixed = { sessionId, content: `look\n[IMAGE:${url}]`, messageType: 'mixed' as const };
      await bobSocket.request('random_message', mixed);
      await bobSocket.request('random_message', { sessionId, content: url, messageType: 'image' });
      for (const newContent of ['second', 'third'])
        await adaSocket.request('message_edit', {
          sessionId,
          userId: ada.user.id,
          messageId: String(id),
          newContent,
        });

      const taken = await evidence.takeFromRandomChat(sessionId, [ada.user.id, bob.user.id]);
      const image = { imageId: expect.any(Number), width: expect.any(Number), height: expect.any(Number) };
      const key = url.slice('/api/files/chat-images/'.length);
      expect(parseContent(taken)).toEqual({
        source: 'random_chat',
        sessionId,
        people: expect.arrayContaining([
          { id: ada.user.id, username: ada.user.username },
          { id: bob.user.id, username: bob.user.username },
        ]),
        messages: [
          {
            id,
            senderId: ada.user.id,
            at: new Date(Number.parseInt(String(id), 10)).toISOString(),
            type: 'text',
            versions: ['first', 'second', 'third'],
            isMarked: false,
            images: [],
          },
          expect.objectContaining({
            senderId: bob.user.id,
            type: 'mixed',
            versions: ['look'],
            images: [{ ...image, key }],
          }),
          expect.objectContaining({ type: 'image', versions: [], images: [{ ...image, key }] }),
        ],
        omitted: 0,
      });
      expect(taken.hash).toBe(createHash('sha256').update(taken.json).digest('hex'));
      expect(taken.imageKeys).toEqual([key]);
    });

    it('contains the last 30 messages, and older ones that are marked, with their later versions', async () => {
      const { bob, sessionId, bobSocket, take } = await createFilledChat(createNumberedTexts(1_500));
      const ids = await readMessageIds(sessionId);
      await bobSocket.request('message_edit', {
        sessionId,
        userId: bob.user.id,
        messageId: ids[1]!,
        newContent: 'edited',
      });
      const recent = createNumberedTexts(1_500).slice(-30);

      const plain = await take([ids.at(-1)!]);
      expect(listTexts(plain)).toEqual(recent);
      expect(parseContent(plain).omitted).toBe(1_470);
      expect(parseContent(plain).messages.map(({ isMarked }) => isMarked)).toEqual([
        ...new Array<boolean>(29).fill(false),
        true,
      ]);

      const marked = await take([ids[1]!, ids[700]!]);
      expect(listTexts(marked)).toEqual(['edited', 'message 701', ...recent]);
      expect(parseContent(marked).messages[0]).toMatchObject({
        versions: ['message 2', 'edited'],
        isMarked: true,
      });
      expect(parseContent(marked).omitted).toBe(1_468);

      await persistChat(stack.replicas[0]!, sessionId);
      expect(toComparable(await take([ids[1]!, ids[700]!]))).toEqual(toComparable(marked));
    });

    it('reads one page of the stream when the events before it are persisted', async () => {
      const { sessionId, take } = await createFilledChat(createNumberedTexts(1_500));
      const [oldest] = await readMessageIds(sessionId);
      await persistChat(stack.replicas[0]!, sessionId);
      const readPage = jest.spyOn(stack.replicas[0]!.app.get<Redis>(REDIS), 'xrevrange');
      expect(listTexts(await take([oldest!]))).toHaveLength(31);
      expect(readPage).toHaveBeenCalledTimes(1);
      readPage.mockRestore();
    });

    it('ignores marks of messages of other chats, of other events, and of messages that do not exist', async () => {
      const other = await createFilledChat(['elsewhere']);
      const { sessionId, take } = await createFilledChat(createNumberedTexts(40));
      const [foreignId] = await readMessageIds(other.sessionId);
      const [start] = await readEvents(stack, sessionId);
      const forged = [foreignId!, start!.id, '0-0', '9999999999999999-9999999999'];
      const taken = await take(forged);
      expect(parseContent(taken).messages).toHaveLength(30);
      expect(parseContent(taken).messages.some(({ isMarked }) => isMarked)).toBe(false);
      await persistChat(stack.replicas[0]!, sessionId);
      await dropLiveChat(stack, sessionId);
      expect(toComparable(await take(forged))).toEqual(toComparable(taken));
    });

    it('is the same from PostgreSQL when the live stream is gone', async () => {
      const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat(stack);
      const userIds = [ada.user.id, bob.user.id];
      const url = await uploadChatImage(stack.replicas[1]!, bob);
      const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'first'));
      await bobSocket.request('random_message', { sessionId, content: url, messageType: 'image' });
      await appendMessages(stack.replicas[0]!, sessionId, bob.user.id, createNumberedTexts(500));
      await adaSocket.request('message_edit', {
        sessionId,
        userId: ada.user.id,
        messageId: String(id),
        newContent: 'edited',
      });
      await bobSocket.request('skip_chat', { sessionId });
      const live = await evidence.takeFromRandomChat(sessionId, userIds, [String(id)]);
      expect(parseContent(live).messages).toHaveLength(31);

      await persistChat(stack.replicas[0]!, sessionId);
      expect(toComparable(await evidence.takeFromRandomChat(sessionId, userIds, [String(id)]))).toEqual(
        toComparable(live),
      );
      await dropLiveChat(stack, sessionId);
      expect(toComparable(await evidence.takeFromRandomChat(sessionId, userIds, [String(id)]))).toEqual(
        toComparable(live),
      );
    });
  });

  describe('of a private chat', () => {
    it('contains the last 30 messages of the two with all versions, and marked ones', async () => {
      const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
      const ids: number[] = [];
      for (const content of createNumberedTexts(33)) {
        const { id } = await bobSocket.request(
          'send_private_message',
          createPrivateMessage({ from: bob, to: ada, content }),
        );
        ids.push(Number(id));
      }
      const change = { receiverId: ada.user.id, senderId: bob.user.id };
      await bobSocket.request('edit_private_message', {
        ...change,
        messageId: ids[0]!,
        newContent: 'edited',
      });
      await bobSocket.request('delete_private_message', { ...change, messageId: ids[32]! });
      await adaSocket.request('ping', {});

      const taken = await evidence.takeFromPrivateChat(ada.user.id, bob.user.id, [
        ids[0]!,
        ids[32]!,
        1,
        'text',
      ]);
      const { messages, omitted, source, sessionId } = parseContent(taken);
      expect({ source, sessionId, omitted }).toEqual({ source: 'private_chat', sessionId: null, omitted: 2 });
      expect(messages.map(({ id }) => id)).toEqual([ids[0], ...ids.slice(3)]);
      expect(messages[0]).toMatchObject({
        versions: ['message 1', 'edited'],
        isMarked: true,
        senderId: bob.user.id,
      });
      expect(messages.at(-1)).toMatchObject({ versions: [], isMarked: true });
      expect(messages.filter(({ isMarked }) => isMarked)).toHaveLength(2);
    });

    it('never contains messages of other pairs', async () => {
      const { ada, bob } = await createConnectedFriends(stack);
      const others = await createConnectedFriends(stack);
      const message = createPrivateMessage({ from: others.ada, to: others.bob, content: 'not theirs' });
      const { id } = await others.adaSocket.request('send_private_message', message);
      const taken = await evidence.takeFromPrivateChat(ada.user.id, bob.user.id, [Number(id)]);
      expect(parseContent(taken)).toMatchObject({ messages: [], omitted: 0 });
      expect(taken.lastMessageAt).toBeNull();
    });
  });
});
