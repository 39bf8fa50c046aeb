import { emptyDraft, isEmptyDraft, parseDraft, type Draft } from '@/chat-ui/composer/draft';
import { browserStorage } from '@/lib/storage';

const toKeyPrefix = (userId: number): string => `thaw-draft-${userId}-`;
const toKey = (userId: number, friendId: number): string => `${toKeyPrefix(userId)}${friendId}`;

/**
 * The drafts of unsent messages, by friend. Each draft has a storage entry of its own, so that tabs do not overwrite
 * each other's drafts. They survive a reload and are erased on logout.
 */
export class Drafts {
  private userId: number | undefined;
  private readonly listeners = new Set<(friendId: number) => void>();

  constructor() {
    // There is no window when the pages are prerendered.
    globalThis.window?.addEventListener('storage', ({ key }) => {
      if (this.userId === undefined) return;
      const prefix = toKeyPrefix(this.userId);
      if (!key?.startsWith(prefix)) return;
      const friendId = Number(key.slice(prefix.length));
      for (const listener of this.listeners) listener(friendId);
    });
  }

  switchUser(userId: number | undefined): void {
    this.userId = userId;
  }

  get(friendId: number): Draft {
    if (this.userId === undefined) return emptyDraft;
    return parseDraft(browserStorage.read(toKey(this.userId, friendId)));
  }

  set(friendId: number, draft: Draft): void {
    if (this.userId === undefined) return;
    const key = toKey(this.userId, friendId);
    if (isEmptyDraft(draft)) browserStorage.remove(key);
    else browserStorage.write(key, JSON.stringify(draft));
  }

  remove(friendId: number): void {
    this.set(friendId, emptyDraft);
  }

  /** Deletes all drafts of the current user from the browser. */
  clear(): void {
    if (this.userId === undefined) return;
    const prefix = toKeyPrefix(this.userId);
    for (const key of browserStorage.keys()) {
      if (key.startsWith(prefix)) browserStorage.remove(key);
    }
  }

  /** Subscribes to changes made by other tabs; returns the function that unsubscribes. */
  onOtherTabChange(listener: (friendId: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
