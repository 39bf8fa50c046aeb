import { ChatTailService } from './chat-tail.service';
import type { LiveChat } from './live-chat.model';

/** After this time, Redis has certainly synced an event to disk. */
const ON_DISK_AFTER_MS = 3_000;

/** The version of every chat in Redis, or the error of reading it. */
let versionInRedis: number | Error;
let repairCount: number;
let tails: ChatTailService;

const chat = { sessionId: 's-1', version: 4, isEnded: false, userIds: [1, 2] } as unknown as LiveChat;
/**
 * Pretends that Redis has lost the last event, which the service restores only if it retains the chat. A restoration
 * starts `ON_DISK_AFTER_MS` again.
 * @returns whether the service retains the chat
 */
const restoreIfRetained = () => tails.restoreLost('s-1', chat.version - 1);

beforeEach(() => {
  jest.useFakeTimers();
  [versionInRedis, repairCount] = [4, 0];
  const readVersions = async (sessionIds: readonly string[]) => {
    if (versionInRedis instanceof Error) throw versionInRedis;
    return sessionIds.map(() => versionInRedis);
  };
  chat.repair = async () => void (repairCount += 1);
  tails = new ChatTailService({ readVersions } as never, { close: async () => undefined } as never);
  tails.retain(chat);
});
afterEach(() => jest.useRealTimers());

it('drops a retained chat that Redis still has after three seconds, and not earlier', async () => {
  jest.advanceTimersByTime(ON_DISK_AFTER_MS - 1);
  await tails.compareVersions([]);
  expect(await restoreIfRetained()).toBe(true);
  // Counted from the restoration.
  jest.advanceTimersByTime(ON_DISK_AFTER_MS);
  await tails.compareVersions([]);
  expect(await restoreIfRetained()).toBe(false);
});

it('retains a chat while Redis does not reply', async () => {
  versionInRedis = new Error('Command timed out');
  jest.advanceTimersByTime(60_000);
  await expect(tails.compareVersions([])).rejects.toThrow();
  expect(await restoreIfRetained()).toBe(true);
});

it('retains a chat again after restoring it', async () => {
  versionInRedis = 2;
  jest.advanceTimersByTime(10_000);
  await tails.compareVersions([]);
  expect(repairCount).toBe(1);
  // Redis has the chat again, but not for three seconds yet, so the chat is not dropped.
  versionInRedis = 4;
  jest.advanceTimersByTime(1_000);
  await tails.compareVersions([]);
  // Redis loses the restored events again.
  versionInRedis = 2;
  await tails.compareVersions([]);
  expect(repairCount).toBe(2);
});

it('keeps the copy with more events when a chat is retained twice', async () => {
  tails.retain({ ...chat, version: 1 } as LiveChat);
  expect(await tails.restoreLost('s-1', chat.version - 1)).toBe(true);
  expect(await tails.restoreLost('s-1', chat.version)).toBe(false);
});

it('still compares the other chats when Redis refuses to restore one of them', async () => {
  const refusal = Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' });
  const refusedChat = {
    ...chat,
    sessionId: 's-2',
    repair: () => Promise.reject(refusal),
  } as unknown as LiveChat;
  versionInRedis = 2;
  await expect(tails.compareVersions([refusedChat])).rejects.toBe(refusal);
  expect(repairCount).toBe(1); // the retained chat is compared after the refused one
});
