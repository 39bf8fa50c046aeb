import { Injectable } from '@nestjs/common';
import type { OutboxEntry, OutboxPositions } from '../../../platform/hot-log/outbox.repository';

/** Delay before the first retry; it doubles with each further failure. */
const FIRST_RETRY_MS = 500;
/** The longest delay between two retries. */
const MAX_RETRY_MS = 30_000;
/** Instead of an outbox id: the outbox is read from its head. */
const HEAD = '';

interface HeldChat {
  shard: number;
  /** The entry that has failed. The chat's later entries wait for it. */
  failedId: string;
  /** How often this entry has failed when it was written alone. */
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
  markProcessed(entries: readonly OutboxEntry[]): void;
  /** Ends the pass after all entries were read. @returns the last outbox id read of each shard, or its start. */
  end(): OutboxPositions;
}

/**
 * The held chats: those whose next entry this worker cannot write. Their entries stay in the outbox and may pile up at
 * its head. The registry therefore also stores the outbox id up to which every entry of a shard is held. A pass starts
 * after this id, or at the head when a held chat is due for a retry.
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
    const dueShards = new Set<number>();
    for (const { shard, retryAt } of this.chats.values()) if (retryAt <= now) dueShards.add(shard);
    const starts = new Map<number, string>();
    for (const shard of shards)
      starts.set(shard, dueShards.has(shard) ? HEAD : (this.heldUpToByShard.get(shard) ?? HEAD));
    const ends = new Map<number, string>();
    const processedIds = new Set<string>();
    return {
      starts,
      isHeld: (sessionId) => this.chats.has(sessionId),
      isWaiting: (sessionId) => (this.chats.get(sessionId)?.retryAt ?? -Infinity) > now,
      markProcessed: (entries) => {
        for (const { shard, outboxId } of entries) {
          ends.set(shard, outboxId);
          processedIds.add(outboxId);
        }
      },
      end: () => {
        this.endPass(starts, ends, processedIds);
        return new Map([...starts].map(([shard, start]) => [shard, ends.get(shard) ?? start]));
      },
    };
  }

  /**
   * Records that an entry failed when it was written alone, and holds its chat until a retry. The delay of the retries
   * grows exponentially.
   * @param now monotonic clock, ms.
   * @returns the number of failures of the entry.
   */
  hold({ shard, outboxId, sessionId }: OutboxEntry, now: number): number {
    const previous = this.chats.get(sessionId);
    const failures = previous?.failedId === outboxId ? previous.failures + 1 : 1;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
    // The next multiple of the delay, so that all chats of a shard with the same delay are retried in one pass.
    const retryAt = (Math.floor(now / delayMs) + 1) * delayMs;
    this.chats.set(sessionId, { shard, failedId: outboxId, failures, retryAt });
    return failures;
  }

  /** Called when the failed entry was written or has become a dead letter. */
  release(sessionId: string): void {
    this.chats.delete(sessionId);
  }

  private endPass(
    starts: OutboxPositions,
    ends: ReadonlyMap<number, string>,
    processedIds: ReadonlySet<string>,
  ): void {
    const shardsWithHeldChats = new Set<number>();
    for (const [sessionId, { shard, failedId }] of this.chats) {
      // A pass from the head of the shard did not find the entry: another worker or an operator removed it.
      if (starts.get(shard) === HEAD && !processedIds.has(failedId)) this.chats.delete(sessionId);
      else shardsWithHeldChats.add(shard);
    }
    // Written entries were removed, so all entries that remain up to the end of the pass are held.
    for (const [shard, start] of starts) {
      if (shardsWithHeldChats.has(shard)) this.heldUpToByShard.set(shard, ends.get(shard) ?? start);
      else this.heldUpToByShard.delete(shard);
    }
  }
}
