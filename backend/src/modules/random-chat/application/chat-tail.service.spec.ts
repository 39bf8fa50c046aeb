import { ChatTailService } from './chat-tail.service';
import type { LiveChat } from './live-chat.model';

let versionInRedis: number | Error;
let repairs: number;
let tails: ChatTailService;

const chat = { sessionId: 's-1', version: 4, isEnded: false, userIds: [1, 2] } as unknown as LiveChat;
/** Whether the service still retains the chat, which has more events than version 3. */
const isRetained = () => tails.restoreLost('s-1', 3);

beforeEach(() => {
  jest.useFakeTimers();
  [versionInRedis, repairs] = [4, 0];
  const versions = async (sessionIds: readonly string[]) => {
    if (versionInRedis instanceof Error) throw versionInRedis;
    return sessionIds.map(() => versionInRedis);
  };
  chat.repair = async () => void (repairs += 1);
  tails = new ChatTailService({ readVersions: versions } as never, { close: async () => undefined } as never);
  tails.retain(chat);
});
afterEach(() => jest.useRealTimers());

it('drops a retained chat that Redis still has after three seconds, and not earlier', async () => {
  jest.advanceTimersByTime(2_999);
  await tails.compareVersions([]);
  expect(await isRetained()).toBe(true);
  jest.advanceTimersByTime(3_000);
  await tails.compareVersions([]);
  expect(await isRetained()).toBe(false);
});

it('retains a chat while Redis does not reply', async () => {
  versionInRedis = new Error('Command timed out');
  jest.advanceTimersByTime(60_000);
  await expect(tails.compareVersions([])).rejects.toThrow();
  expect(await isRetained()).toBe(true);
});

it('retains a chat for another three seconds after restoring it', async () => {
  versionInRedis = 2;
  jest.advanceTimersByTime(10_000);
  await tails.compareVersions([]);
  expect(repairs).toBe(1);
  versionInRedis = 4;
  jest.advanceTimersByTime(1_000);
  await tails.compareVersions([]);
  versionInRedis = 2;
  await tails.compareVersions([]);
  expect(repairs).toBe(2);
});

it('retains the longer one when a chat is retained twice', async () => {
  tails.retain({ ...chat, version: 1 } as LiveChat);
  expect(await tails.restoreLost('s-1', 3)).toBe(true);
  expect(await tails.restoreLost('s-1', 4)).toBe(false);
});

it('still compares the other chats when Redis refuses to restore one', async () => {
  const refusal = Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' });
  const refused = { ...chat, sessionId: 's-2', repair: () => Promise.reject(refusal) } as unknown as LiveChat;
  versionInRedis = 2;
  await expect(tails.compareVersions([refused])).rejects.toBe(refusal);
  expect(repairs).toBe(1);
});
