// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets: evidence is copied on the first, images
// are uploaded to the second. `persistChat` copies a chat to PostgreSQL as the worker does; `dropLiveChat` deletes it
// from Redis.
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
import { EvidenceService, type StoredEvidence, type EvidenceCopy } from './evidence.service';

jest.setTimeout(60_000);

/** The number of newest messages that evidence contains. */
const NEWEST_MESSAGE_COUNT = 30;

const parseContent = ({ json }: EvidenceCopy): StoredEvidence => JSON.parse(json) as StoredEvidence;
/** The evidence without the ids of its images, which differ in each copy. */
const toComparable = (copy: EvidenceCopy): unknown =>
  JSON.parse(copy.json.replace(/"imageId":\d+/g, '"imageId":0'));
/** The newest version of each message. */
const listTexts = (copy: EvidenceCopy): (string | undefined)[] =>
  parseContent(copy).messages.map(({ versions }) => versions.at(-1));
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

  describe('evidence of a random chat', () => {
    /** A chat with messages of Bob that were appended without a socket. */
    const createFilledChat = async (contents: readonly string[]) => {
      const chat = await startChat(stack);
      await appendMessages(stack.replicas[0]!, chat.sessionId, chat.bob.user.id, contents);
      const userIds = [chat.ada.user.id, chat.bob.user.id];
      const copyEvidence = (markedIds: string[] = []) =>
        evidence.copyRandomChat(chat.sessionId, userIds, markedIds);
      return { ...chat, copyEvidence };
    };
    const readMessageIds = async (sessionId: string): Promise<string[]> => {
      const { messages } = await stack.replicas[0]!.app.get(ChatTranscriptService).read(sessionId, {
        newestCount: Number.MAX_SAFE_INTEGER,
        messageIds: [],
      });
      return messages.map(({ id }) => id);
    };

    it('contains both users, and all versions and images of each message; the hash is that of the JSON', async () => {
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

      const copy = await evidence.copyRandomChat(sessionId, [ada.user.id, bob.user.id]);
      const image = { imageId: expect.any(Number), width: expect.any(Number), height: expect.any(Number) };
      const key = url.slice('/api/files/chat-images/'.length);
      expect(parseContent(copy)).toEqual({
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
            // The id of a message begins with its time in ms.
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
      expect(copy.hash).toBe(createHash('sha256').update(copy.json).digest('hex'));
      expect(copy.imageKeys).toEqual([key]);
    });

    it('contains the last 30 messages and older ones that are marked, each with all its versions', async () => {
      const texts = createNumberedTexts(1_500); // several pages of the Redis stream
      const { bob, sessionId, bobSocket, copyEvidence } = await createFilledChat(texts);
      const ids = await readMessageIds(sessionId);
      await bobSocket.request('message_edit', {
        sessionId,
        userId: bob.user.id,
        messageId: ids[1]!,
        newContent: 'edited',
      });
      const newestTexts = texts.slice(-NEWEST_MESSAGE_COUNT);

      const withNewestMarked = await copyEvidence([ids.at(-1)!]);
      expect(listTexts(withNewestMarked)).toEqual(newestTexts);
      expect(parseContent(withNewestMarked).omitted).toBe(texts.length - NEWEST_MESSAGE_COUNT);
      expect(parseContent(withNewestMarked).messages.map(({ isMarked }) => isMarked)).toEqual([
        ...new Array<boolean>(NEWEST_MESSAGE_COUNT - 1).fill(false),
        true,
      ]);

      const olderIds = [ids[1]!, ids[700]!];
      const withOlderMarked = await copyEvidence(olderIds);
      expect(listTexts(withOlderMarked)).toEqual(['edited', 'message 701', ...newestTexts]);
      expect(parseContent(withOlderMarked).messages[0]).toMatchObject({
        versions: ['message 2', 'edited'],
        isMarked: true,
      });
      expect(parseContent(withOlderMarked).omitted).toBe(
        texts.length - NEWEST_MESSAGE_COUNT - olderIds.length,
      );

      await persistChat(stack.replicas[0]!, sessionId);
      expect(toComparable(await copyEvidence(olderIds))).toEqual(toComparable(withOlderMarked));
    });

    it('reads only the newest page of the Redis stream when PostgreSQL has the older events', async () => {
      const { sessionId, copyEvidence } = await createFilledChat(createNumberedTexts(1_500));
      const [oldestId] = await readMessageIds(sessionId);
      await persistChat(stack.replicas[0]!, sessionId);
      // Each call of XREVRANGE reads a page.
      const readPage = jest.spyOn(stack.replicas[0]!.app.get<Redis>(REDIS), 'xrevrange');
      expect(listTexts(await copyEvidence([oldestId!]))).toHaveLength(NEWEST_MESSAGE_COUNT + 1);
      expect(readPage).toHaveBeenCalledTimes(1);
      readPage.mockRestore();
    });

    it('ignores marks of messages of other chats, of events that are not messages, and of unknown ids', async () => {
      const other = await createFilledChat(['elsewhere']);
      // More messages than the evidence contains.
      const { sessionId, copyEvidence } = await createFilledChat(createNumberedTexts(40));
      const [foreignId] = await readMessageIds(other.sessionId);
      const [chatStarted] = await readEvents(stack, sessionId);
      const forgedIds = [foreignId!, chatStarted!.id, '0-0', '9999999999999999-9999999999'];
      const copy = await copyEvidence(forgedIds);
      expect(parseContent(copy).messages).toHaveLength(NEWEST_MESSAGE_COUNT);
      expect(parseContent(copy).messages.some(({ isMarked }) => isMarked)).toBe(false);
      await persistChat(stack.replicas[0]!, sessionId);
      await dropLiveChat(stack, sessionId);
      expect(toComparable(await copyEvidence(forgedIds))).toEqual(toComparable(copy));
    });

    it('is the same while the chat is only in Redis, in both Redis and PostgreSQL, and only in PostgreSQL', async () => {
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
      const copyEvidence = () => evidence.copyRandomChat(sessionId, userIds, [String(id)]);
      const live = await copyEvidence();
      // The newest messages and the marked one.
      expect(parseContent(live).messages).toHaveLength(NEWEST_MESSAGE_COUNT + 1);

      await persistChat(stack.replicas[0]!, sessionId);
      expect(toComparable(await copyEvidence())).toEqual(toComparable(live));
      await dropLiveChat(stack, sessionId);
      expect(toComparable(await copyEvidence())).toEqual(toComparable(live));
    });
  });

  describe('evidence of a private chat', () => {
    it('contains the last 30 messages and older ones that are marked, each with all its versions', async () => {
      const { ada, bob, bobSocket } = await createConnectedFriends(stack);
      const ids: number[] = [];
      for (const content of createNumberedTexts(33)) {
        const { id } = await bobSocket.request(
          'send_private_message',
          createPrivateMessage({ from: bob, to: ada, content }),
        );
        ids.push(Number(id));
      }
      const [oldestId, newestId] = [ids[0]!, ids.at(-1)!];
      const users = { receiverId: ada.user.id, senderId: bob.user.id };
      await bobSocket.request('edit_private_message', {
        ...users,
        messageId: oldestId,
        newContent: 'edited',
      });
      await bobSocket.request('delete_private_message', { ...users, messageId: newestId });

      // The last two ids belong to no message of this chat.
      const markedIds = [oldestId, newestId, 1, 'text'];
      const copy = await evidence.copyPrivateChat(ada.user.id, bob.user.id, markedIds);
      const { messages, omitted, source, sessionId } = parseContent(copy);
      // Of the 33 messages, the evidence contains the 30 newest and the oldest, which is marked.
      expect({ source, sessionId, omitted }).toEqual({ source: 'private_chat', sessionId: null, omitted: 2 });
      expect(messages.map(({ id }) => id)).toEqual([oldestId, ...ids.slice(-NEWEST_MESSAGE_COUNT)]);
      expect(messages[0]).toMatchObject({
        versions: ['message 1', 'edited'],
        isMarked: true,
        senderId: bob.user.id,
      });
      // A deleted message has no text any more.
      expect(messages.at(-1)).toMatchObject({ versions: [], isMarked: true });
      expect(messages.filter(({ isMarked }) => isMarked)).toHaveLength(2);
    });

    it('never contains messages of other pairs', async () => {
      const { ada, bob } = await createConnectedFriends(stack);
      const others = await createConnectedFriends(stack);
      const message = createPrivateMessage({ from: others.ada, to: others.bob, content: 'not theirs' });
      const { id } = await others.adaSocket.request('send_private_message', message);
      const copy = await evidence.copyPrivateChat(ada.user.id, bob.user.id, [Number(id)]);
      expect(parseContent(copy)).toMatchObject({ messages: [], omitted: 0 });
      expect(copy.lastMessageAt).toBeNull();
    });
  });
});
