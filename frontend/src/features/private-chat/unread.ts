import * as z from 'zod/mini';
import { readStored, writeStored } from '@/lib/storage';

/** How many messages wait to be read, by the friend who sent them; without those of whom there is none. */
export type UnreadCounts = Readonly<Record<number, number>>;

export const unreadCountsSchema = z.record(z.string(), z.int().check(z.nonnegative()));

export const unreadStorageKey = (userId: number): string => `thaw-unread-${userId}`;

export const parseUnread = (text: string | null): UnreadCounts | undefined => {
  try {
    const parsed = unreadCountsSchema.safeParse(JSON.parse(text ?? 'null'));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};

/** The counts of last time, for the first paint alone (A129). */
export const readUnread = (userId: number): UnreadCounts | undefined =>
  parseUnread(readStored(unreadStorageKey(userId)));

export const writeUnread = (userId: number, counts: UnreadCounts): void =>
  writeStored(unreadStorageKey(userId), JSON.stringify(counts));

export const oneMore = (counts: UnreadCounts, friendId: number): UnreadCounts => ({
  ...counts,
  [friendId]: (counts[friendId] ?? 0) + 1,
});

export const noneOf = (counts: UnreadCounts, friendId: number): UnreadCounts => {
  if (!(friendId in counts)) return counts;
  const { [friendId]: _read, ...others } = counts;
  return others;
};

export const totalUnread = (counts: UnreadCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
