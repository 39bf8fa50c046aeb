import * as z from 'zod/mini';
import { readStored, removeStored, writeStored } from '@/lib/storage';

const storageKey = (userId: number): string => `thaw-drafts-${userId}`;

const storedSchema = z.record(z.string(), z.string());

const read = (userId: number): Map<number, string> => {
  let stored: unknown;
  try {
    stored = JSON.parse(readStored(storageKey(userId)) ?? '{}');
  } catch {
    return new Map();
  }
  const parsed = storedSchema.safeParse(stored);
  const texts = parsed.success ? parsed.data : {};
  return new Map(Object.entries(texts).map(([friendId, text]): [number, string] => [Number(friendId), text]));
};

/** What was begun and not sent, by friend. Kept over a reload; gone with the logout. */
export class Drafts {
  private userId: number | undefined;
  private texts = new Map<number, string>();

  open(userId: number | undefined): void {
    this.userId = userId;
    this.texts = userId === undefined ? new Map<number, string>() : read(userId);
  }

  of(friendId: number): string {
    return this.texts.get(friendId) ?? '';
  }

  keep(friendId: number, text: string): void {
    if (this.of(friendId) === text) return;
    if (text === '') this.texts.delete(friendId);
    else this.texts.set(friendId, text);
    this.write();
  }

  /** What the server did not take, and no composer was there for. */
  putBefore(friendId: number, text: string): void {
    const begun = this.of(friendId);
    this.keep(friendId, begun === '' ? text : `${text}\n${begun}`);
  }

  forget(friendId: number): void {
    this.keep(friendId, '');
  }

  /** Nothing of this person stays on this machine. */
  erase(): void {
    this.texts = new Map();
    this.write();
  }

  private write(): void {
    if (this.userId === undefined) return;
    if (this.texts.size === 0) removeStored(storageKey(this.userId));
    else writeStored(storageKey(this.userId), JSON.stringify(Object.fromEntries(this.texts)));
  }
}
