import * as z from 'zod/mini';
import { parseJson } from '@/lib/parse-json';
import { browserStorage } from '@/lib/storage';

/** Numbers of unread messages by id of the sender. A sender without unread messages may be absent. */
export type UnreadCounts = Readonly<Record<number, number>>;

export const unreadCountsSchema = z.record(z.string(), z.int().check(z.nonnegative()));

export const getUnreadStorageKey = (userId: number): string => `thaw-unread-${userId}`;

export const parseUnread = (text: string | null): UnreadCounts | undefined =>
  parseJson(unreadCountsSchema, text);

/** Reads the counts that this browser stored last; used for the first paint only. */
export const readUnread = (userId: number): UnreadCounts | undefined =>
  parseUnread(browserStorage.read(getUnreadStorageKey(userId)));

export const writeUnread = (userId: number, counts: UnreadCounts): void => {
  browserStorage.write(getUnreadStorageKey(userId), JSON.stringify(counts));
};

export const incrementUnread = (counts: UnreadCounts, friendId: number): UnreadCounts => ({
  ...counts,
  [friendId]: (counts[friendId] ?? 0) + 1,
});

export const clearUnread = (counts: UnreadCounts, friendId: number): UnreadCounts => {
  if (!(friendId in counts)) return counts;
  const { [friendId]: _removed, ...others } = counts;
  return others;
};

export const sumUnread = (counts: UnreadCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
