import { emptyDraft, isEmptyDraft, parseDraft, type Draft } from '@/chat-ui/composer/draft';
import { browserStorage } from '@/lib/storage';

const toKeyPrefix = (userId: number): string => `thaw-draft-${userId}-`;

/**
 * Unsent drafts by friend. One storage entry for each friend, so that tabs do not overwrite each other's drafts.
 * Survives a reload; erased on logout.
 */
export class Drafts {
  private userId: number | undefined;
  private readonly listeners = new Set<(friendId: number) => void>();

  constructor() {
    globalThis.window?.addEventListener('storage', ({ key }) => {
      if (this.userId === undefined || !key?.startsWith(toKeyPrefix(this.userId))) return;
      const friendId = Number(key.slice(toKeyPrefix(this.userId).length));
      for (const listen of this.listeners) listen(friendId);
    });
  }

  switchUser(userId: number | undefined): void {
    this.userId = userId;
  }

  get(friendId: number): Draft {
    return this.userId === undefined
      ? emptyDraft
      : parseDraft(browserStorage.read(this.toKey(this.userId, friendId)));
  }

  set(friendId: number, draft: Draft): void {
    if (this.userId === undefined) return;
    const key = this.toKey(this.userId, friendId);
    if (isEmptyDraft(draft)) browserStorage.remove(key);
    else browserStorage.write(key, JSON.stringify(draft));
  }

  remove(friendId: number): void {
    this.set(friendId, emptyDraft);
  }

  /** Deletes all drafts of this user from the browser. */
  clear(): void {
    if (this.userId === undefined) return;
    const prefix = toKeyPrefix(this.userId);
    for (const key of browserStorage.keys()) if (key.startsWith(prefix)) browserStorage.remove(key);
  }

  /** Subscribes to changes made by other tabs; returns the function that unsubscribes. */
  onOtherTabChange(listen: (friendId: number) => void): () => void {
    this.listeners.add(listen);
    return () => this.listeners.delete(listen);
  }

  private toKey(userId: number, friendId: number): string {
    return `${toKeyPrefix(userId)}${friendId}`;
  }
}
