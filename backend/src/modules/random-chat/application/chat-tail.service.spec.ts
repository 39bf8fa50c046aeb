import { ChatTailService } from './chat-tail.service';
import type { LiveChat } from './live-chat.model';

/** The service drops a retained chat when Redis still has its events after this time: they are certainly on disk. */
const ON_DISK_AFTER_MS = 3_000;
const LONG_AFTER_MS = 10 * ON_DISK_AFTER_MS;

const SESSION_ID = 's-1';
/** The number of events of the retained chat. */
const VERSION = 4;

/** The number of events that Redis has of each chat, or the error of reading it. */
let versionInRedis: number | Error;
/** How often the service has repaired a chat, that is, appended its lost events to Redis again. */
let repairCount: number;
/** Retains the chat of `createChat()` in each test. */
let tails: ChatTailService;

const createChat = (changes: Partial<LiveChat> = {}): LiveChat =>
  ({
    sessionId: SESSION_ID,
    version: VERSION,
    isEnded: false,
    userIds: [1, 2],
    repair: async () => void (repairCount += 1),
    ...changes,
  }) as unknown as LiveChat;
/** Whether the service retains the chat. It can only then restore the last event, which is reported as lost here. */
const isRetained = (): Promise<boolean> => tails.restoreLost(SESSION_ID, VERSION - 1);

beforeEach(() => {
  jest.useFakeTimers();
  versionInRedis = VERSION;
  repairCount = 0;
  const log = {
    readVersions: async (sessionIds: readonly string[]) => {
      if (versionInRedis instanceof Error) throw versionInRedis;
      return sessionIds.map(() => versionInRedis);
    },
  };
  const records = { close: async () => undefined };
  tails = new ChatTailService(log as never, records as never);
  tails.retain(createChat());
});
afterEach(() => jest.useRealTimers());

it('keeps a retained chat for less than three seconds although Redis has its events', async () => {
  jest.advanceTimersByTime(ON_DISK_AFTER_MS - 1);
  await tails.compareVersions([]);
  expect(await isRetained()).toBe(true);
});

it('drops a retained chat when Redis still has its events after three seconds', async () => {
  jest.advanceTimersByTime(ON_DISK_AFTER_MS);
  await tails.compareVersions([]);
  expect(await isRetained()).toBe(false);
});

it('keeps a retained chat while Redis does not reply', async () => {
  versionInRedis = new Error('Command timed out');
  jest.advanceTimersByTime(LONG_AFTER_MS);
  await expect(tails.compareVersions([])).rejects.toThrow();
  expect(await isRetained()).toBe(true);
});

it('keeps a repaired chat until Redis has had its events for three seconds again', async () => {
  versionInRedis = VERSION - 2;
  jest.advanceTimersByTime(LONG_AFTER_MS);
  await tails.compareVersions([]);
  expect(repairCount).toBe(1);
  versionInRedis = VERSION;
  jest.advanceTimersByTime(ON_DISK_AFTER_MS - 1);
  await tails.compareVersions([]);
  expect(await isRetained()).toBe(true);
  // `isRetained` has repaired the chat, so the three seconds start again.
  jest.advanceTimersByTime(ON_DISK_AFTER_MS);
  await tails.compareVersions([]);
  expect(await isRetained()).toBe(false);
});

it('repairs a retained chat again when Redis loses the restored events, too', async () => {
  versionInRedis = VERSION - 2;
  jest.advanceTimersByTime(LONG_AFTER_MS);
  await tails.compareVersions([]);
  expect(repairCount).toBe(1);
  await tails.compareVersions([]);
  expect(repairCount).toBe(2);
});

it('keeps the copy with more events when a chat is retained twice', async () => {
  tails.retain(createChat({ version: 1 }));
  // The copy has event 4, and no later one.
  expect(await tails.restoreLost(SESSION_ID, 3)).toBe(true);
  expect(await tails.restoreLost(SESSION_ID, 4)).toBe(false);
});

it('still compares the other chats when Redis refuses to restore one of them', async () => {
  const refusal = Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' });
  const refusedChat = createChat({ sessionId: 's-2', repair: () => Promise.reject(refusal) });
  versionInRedis = VERSION - 2;
  // Chats that this replica serves, such as `refusedChat`, are compared before the retained ones.
  await expect(tails.compareVersions([refusedChat])).rejects.toBe(refusal);
  expect(repairCount).toBe(1);
});
