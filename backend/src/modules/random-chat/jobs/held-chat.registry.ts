import { Injectable } from '@nestjs/common';
import type { OutboxEntry, OutboxPositions } from '../../../platform/hot-log/outbox.repository';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;

interface HeldChat {
  shard: number;
  /** The entry that fails; the chat's later ones wait for it. */
  headId: string;
  /** How often it has failed by itself. */
  attempts: number;
  /** By the monotonic clock. */
  retryAt: number;
}

/** One pass over the outboxes of some shards, from where it begins to their ends. */
export interface OutboxPass {
  /** Where reading begins. */
  readonly starts: OutboxPositions;
  /** Whether a chat is held: its next entry has failed before. */
  isHeld(sessionId: string): boolean;
  /** Whether the entries of a held chat are passed over in this pass. */
  isWaiting(sessionId: string): boolean;
  /** These were read, and are written or held now. */
  markProcessed(entries: readonly OutboxEntry[]): void;
  /** Everything was read that was there. @returns where each shard was left. */
  end(): OutboxPositions;
}

/**
 * The chats whose next entry this worker cannot write. Their entries stay in the outbox, where they may pile up at its
 * head: this also remembers up to where everything of a shard is held, so that reading begins after it, and begins at
 * the head again only when a held chat is due.
 */
@Injectable()
export class HeldChatRegistry {
  private readonly chats = new Map<string, HeldChat>();
  private readonly heldUpTo = new Map<number, string>();

  get size(): number {
    return this.chats.size;
  }

  /** Outbox ids up to which everything of a shard is held. */
  get positions(): OutboxPositions {
    return this.heldUpTo;
  }

  /** The shards that hold chats. */
  get shards(): Set<number> {
    return new Set([...this.chats.values()].map(({ shard }) => shard));
  }

  /** Begins a pass over some shards. A shard has one pass at a time. */
  beginPass(shards: readonly number[], now: number): OutboxPass {
    const due = new Set<number>();
    for (const { shard, retryAt } of this.chats.values()) if (retryAt <= now) due.add(shard);
    const starts = new Map<number, string>();
    for (const shard of shards) starts.set(shard, due.has(shard) ? '' : (this.heldUpTo.get(shard) ?? ''));
    const ends = new Map<number, string>();
    const seen = new Set<string>();
    return {
      starts,
      isHeld: (sessionId) => this.chats.has(sessionId),
      isWaiting: (sessionId) => (this.chats.get(sessionId)?.retryAt ?? -Infinity) > now,
      markProcessed: (entries) => {
        for (const { shard, outboxId } of entries) {
          ends.set(shard, outboxId);
          seen.add(outboxId);
        }
      },
      end: () => {
        this.endPass(starts, ends, seen);
        return new Map([...starts].map(([shard, start]) => [shard, ends.get(shard) ?? start]));
      },
    };
  }

  /**
   * An entry has failed by itself: its chat waits, longer each time.
   * @returns how often it has failed.
   */
  hold({ shard, outboxId, sessionId }: OutboxEntry, now: number): number {
    const before = this.chats.get(sessionId);
    const attempts = before?.headId === outboxId ? before.attempts + 1 : 1;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);
    // At multiples of the delay, so that one pass tries all the chats of a shard that have waited as long.
    const retryAt = (Math.floor(now / delayMs) + 1) * delayMs;
    this.chats.set(sessionId, { shard: shard, headId: outboxId, attempts, retryAt });
    return attempts;
  }

  release(sessionId: string): void {
    this.chats.delete(sessionId);
  }

  private endPass(
    starts: OutboxPositions,
    ends: ReadonlyMap<number, string>,
    seen: ReadonlySet<string>,
  ): void {
    const holding = new Set<number>();
    for (const [sessionId, { shard, headId }] of this.chats) {
      // Another worker has written it, or it was removed by hand.
      if (starts.get(shard) === '' && !seen.has(headId)) this.chats.delete(sessionId);
      else holding.add(shard);
    }
    for (const [shard, start] of starts) {
      if (holding.has(shard)) this.heldUpTo.set(shard, ends.get(shard) ?? start);
      else this.heldUpTo.delete(shard);
    }
  }
}
