// Runs against real api replicas, PostgreSQL and Redis. The test copies chats to PostgreSQL in place of a worker.
import { randomUUID } from 'node:crypto';
import type { ChatHistoryEntry } from '@thaw/contract/http';
import { dropLiveChat, persistChat } from '../../../testing/persisted-chat.fixture';
import { readEvents, startChat, type TestChat } from '../../../testing/random-chat.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { textMessage } from '../../../testing/thaw.client';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';

jest.setTimeout(60_000);

const DAY_MS = 24 * 60 * 60_000;

describe('the time until which a chat of the history can be reported', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const persist = ({ sessionId }: TestChat): Promise<void> => persistChat(stack.replicas[0]!, sessionId);
  /** Reads the history, which contains only this chat, from the first replica. */
  const readReportableUntil = async ({ ada }: TestChat): Promise<string | null> => {
    const { status, body } = await ada.call('GET', `/api/chat-history/${ada.user.id}`);
    expect(status).toBe(200);
    const [entry] = body as unknown as ChatHistoryEntry[];
    return entry!.reportableUntil;
  };
  /** Returns the time that is `ms` after the last event of the chat in Redis. */
  const readTimeAfterLastEvent = async ({ sessionId }: TestChat, ms: number): Promise<string> => {
    const lastEvent = (await readEvents(stack, sessionId)).at(-1)!;
    // The id of an entry begins with its time in ms.
    return new Date(Number.parseInt(lastEvent.id, 10) + ms).toISOString();
  };

  it('is null until the chat ends', async () => {
    const chat = await startChat(stack);
    await persist(chat);
    expect(await readReportableUntil(chat)).toBeNull();
  });

  it('is 24 hours after the end of the chat, also when Redis no longer has the chat', async () => {
    const chat = await startChat(stack);
    await chat.adaSocket.request('skip_chat', { sessionId: chat.sessionId });
    await persist(chat);
    const expected = await readTimeAfterLastEvent(chat, DAY_MS);
    expect(await readReportableUntil(chat)).toBe(expected);
    await dropLiveChat(stack, chat.sessionId);
    expect(await readReportableUntil(chat)).toBe(expected);
  });

  /** Starts a chat that Redis loses before it ends. @returns also the time 24 hours after its last event */
  const startLostChat = async (): Promise<{ chat: TestChat; dayAfterLastEvent: string }> => {
    const chat = await startChat(stack);
    await chat.adaSocket.request('random_message', textMessage(chat.sessionId, 'the last words'));
    await persist(chat);
    const dayAfterLastEvent = await readTimeAfterLastEvent(chat, DAY_MS);
    await dropLiveChat(stack, chat.sessionId);
    return { chat, dayAfterLastEvent };
  };

  it('is 24 hours after the last persisted event of a chat that Redis has lost', async () => {
    const { chat, dayAfterLastEvent } = await startLostChat();
    expect(await readReportableUntil(chat)).toBe(dayAfterLastEvent);
  });

  it('is not changed by the event that the expiry of the messages appends to a lost chat', async () => {
    const { chat, dayAfterLastEvent } = await startLostChat();
    const messagesExpired = {
      eventId: randomUUID(),
      type: 'BodiesExpired', // bodies: the contents of messages
      data: {},
      occurredAt: new Date(0), // differs from the time of every other event
    };
    const eventStore = stack.replicas[0]!.app.get(EventStoreRepository);
    await eventStore.append(`chat-${chat.sessionId}`, 'any', [messagesExpired]);
    expect(await readReportableUntil(chat)).toBe(dayAfterLastEvent);
  });

  it('is null while Redis is unavailable, if PostgreSQL does not have the end of the chat', async () => {
    const chat = await startChat(stack);
    await persist(chat);
    const log = stack.replicas[0]!.app.get(ChatLogRepository);
    // The only read from Redis that the chat history makes.
    jest.spyOn(log, 'readVersions').mockRejectedValue(new Error('Redis is unavailable'));
    expect(await readReportableUntil(chat)).toBeNull();
  });

  it('depends on the setting REPORTABLE_AFTER_END_S', async () => {
    const reportableS = 60;
    const { origin } = await stack.addReplica({ REPORTABLE_AFTER_END_S: `${reportableS}` });
    const chat = await startChat(stack);
    await chat.adaSocket.request('skip_chat', { sessionId: chat.sessionId });
    await persist(chat);
    const reportableUntil = await readTimeAfterLastEvent(chat, reportableS * 1_000);
    // `chat.ada.call` would use the first replica, which does not have this setting.
    const response = await fetch(`${origin}/api/chat-history/${chat.ada.user.id}`, {
      headers: { cookie: chat.ada.cookie },
    });
    expect(await response.json()).toMatchObject([{ reportableUntil }]);
  });
});
