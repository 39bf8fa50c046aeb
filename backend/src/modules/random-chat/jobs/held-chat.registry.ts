import { Injectable } from '@nestjs/common';
import type { OutboxEntry, OutboxPositions } from '../../../platform/hot-log/outbox.repository';

/** Delay before the first retry; it doubles with each further failure. */
const FIRST_RETRY_MS = 500;
/** The longest delay between two retries. */
const MAX_RETRY_MS = 30_000;
/** The place before the first entry of an outbox, in place of an outbox id. */
const HEAD = '';

interface HeldChat {
  shard: number;
  /** The entry that cannot be written. The chat's later entries wait for it. */
  failedId: string;
  /** How often this entry has failed alone, not as part of a batch. */
  failures: number;
  /** When the entry is due for a retry (monotonic clock, ms). */
  retryAt: number;
}

/**
 * One pass over the outboxes of some shards. The outbox of a shard is a Redis stream with the events of its chats that
 * are not in PostgreSQL yet.
 */
export interface OutboxPass {
  /** Outbox id after which each shard is read, or `HEAD`. */
  readonly starts: OutboxPositions;
  /** Whether a chat is held, because its next entry has failed. */
  isHeld(sessionId: string): boolean;
  /** Whether a chat is held and not due for a retry. This pass skips its entries. */
  isWaiting(sessionId: string): boolean;
  /** Records that entries were read, including those that the pass skipped. */
  markRead(entries: readonly OutboxEntry[]): void;
  /** Ends the pass after all entries were read. @returns the last outbox id read of each shard, or else its start. */
  end(): OutboxPositions;
}

/**
 * The held chats: those whose next entry this worker cannot write. Their entries stay in the outbox, at its head. To
 * avoid reading them in every pass, the registry stores up to which outbox id all entries of a shard are held. A pass
 * starts after this id, or at the head when a held chat is due for a retry.
 */
@Injectable()
export class HeldChatRegistry {
  private readonly chats = new Map<string, HeldChat>();
  private readonly heldUpToByShard = new Map<number, string>();

  get size(): number {
    return this.chats.size;
  }

  /** For each shard, the outbox id up to which every entry is held. */
  get heldUpTo(): OutboxPositions {
    return this.heldUpToByShard;
  }

  /** The shards with held chats. */
  get shards(): Set<number> {
    return new Set([...this.chats.values()].map(({ shard }) => shard));
  }

  /**
   * Starts a pass over some shards. A shard has at most one pass at a time.
   * @param now monotonic clock, ms.
   */
  beginPass(shards: readonly number[], now: number): OutboxPass {
    const dueShards = this.findDueShards(now);
    const starts = new Map<number, string>();
    for (const shard of shards) {
      const startAfterHeld = this.heldUpToByShard.get(shard) ?? HEAD;
      starts.set(shard, dueShards.has(shard) ? HEAD : startAfterHeld);
    }
    const lastReadIds = new Map<number, string>();
    const readIds = new Set<string>();
    return {
      starts,
      isHeld: (sessionId) => this.chats.has(sessionId),
      isWaiting: (sessionId) => {
        const held = this.chats.get(sessionId);
        return held !== undefined && held.retryAt > now;
      },
      markRead: (entries) => {
        for (const { shard, outboxId } of entries) {
          lastReadIds.set(shard, outboxId);
          readIds.add(outboxId);
        }
      },
      end: () => {
        const ends: OutboxPositions = new Map(
          [...starts].map(([shard, start]) => [shard, lastReadIds.get(shard) ?? start]),
        );
        this.releaseRemoved(starts, readIds);
        this.recordHeldUpTo(ends);
        return ends;
      },
    };
  }

  /**
   * Records that an entry failed alone, not as part of a batch, and holds its chat until a retry. The delay of the
   * retries grows exponentially.
   * @param now monotonic clock, ms.
   * @returns the number of failures of the entry.
   */
  hold({ shard, outboxId, sessionId }: OutboxEntry, now: number): number {
    const previous = this.chats.get(sessionId);
    const failures = previous?.failedId === outboxId ? previous.failures + 1 : 1;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
    // The next multiple of the delay, so that one pass retries all chats of a shard with this delay.
    const retryAt = (Math.floor(now / delayMs) + 1) * delayMs;
    this.chats.set(sessionId, { shard, failedId: outboxId, failures, retryAt });
    return failures;
  }

  /** Releases a chat whose failed entry was written or has become a dead letter. */
  release(sessionId: string): void {
    this.chats.delete(sessionId);
  }

  /** The shards with a held chat that is due for a retry. */
  private findDueShards(now: number): Set<number> {
    const dueChats = [...this.chats.values()].filter(({ retryAt }) => retryAt <= now);
    return new Set(dueChats.map(({ shard }) => shard));
  }

  /** Releases chats whose failed entry is gone, because another worker has written it or an operator has removed it. */
  private releaseRemoved(starts: OutboxPositions, readIds: ReadonlySet<string>): void {
    for (const [sessionId, { shard, failedId }] of this.chats) {
      const wereAllEntriesRead = starts.get(shard) === HEAD;
      if (wereAllEntriesRead && !readIds.has(failedId)) this.chats.delete(sessionId);
    }
  }

  /** Records that all entries up to the end of a pass are held. The pass has removed those that it wrote. */
  private recordHeldUpTo(ends: OutboxPositions): void {
    const shardsWithHeldChats = this.shards;
    for (const [shard, end] of ends) {
      if (shardsWithHeldChats.has(shard)) this.heldUpToByShard.set(shard, end);
      else this.heldUpToByShard.delete(shard);
    }
  }
}
