import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { REDIS } from '../redis/redis.module';
import { chatKeys, SHARD_COUNT, shardGroupLockKey, shardGroupOf } from '../redis/redis.keys';
import {
  figuresScript,
  lockScript,
  OUTBOX_MAX_BYTES,
  OUTBOX_MAX_ENTRIES,
  unlockScript,
} from './outbox.scripts';

/** An event on its way to the durable log. */
export interface OutboxEntry {
  /** The shard whose outbox it is in. */
  shard: number;
  /** Id in the outbox. */
  outboxId: string;
  sessionId: string;
  /** Id in the session's stream. */
  entryId: string;
  /** The event as it was appended. */
  text: string;
}

/** What was read of one shard's outbox. */
export interface OutboxPage {
  shard: number;
  /** In the order in which they were appended. */
  entries: readonly OutboxEntry[];
}

export interface Backlog {
  /** Entries in all outboxes. */
  length: number;
  /** Age in ms, by Redis' clock, of the oldest entry that is not held back; 0 without one. */
  ageMs: number;
  /** Share of its cap, by entries or by bytes, that the fullest outbox has reached. */
  fillRatio: number;
  deadLetters: number;
}

/** Where reading begins, by shard: after this outbox id, at the beginning for ''. */
export type OutboxPositions = ReadonlyMap<number, string>;

const shards: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** The shards of a shard group. */
export const shardsOf = (group: number): number[] => shards.filter((shard) => shardGroupOf(shard) === group);

const rangeAfter = (outboxId: string): string => (outboxId === '' ? '-' : `(${outboxId}`);

/** A row of an outbox or of the dead letters. */
export const toOutboxEntry = (
  shard: number,
  [outboxId, fields]: readonly [string, readonly string[]],
): OutboxEntry => ({
  shard,
  outboxId,
  sessionId: fields[1] ?? '',
  entryId: fields[3] ?? '',
  text: fields[5] ?? '',
});

/** The shards' outboxes, as a worker reads them. */
@Injectable()
export class OutboxRepository {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Takes a shard group, or keeps it for another `ttlMs`. Only spares double work: writing twice does no harm. */
  async lock(group: number, token: string, ttlMs: number): Promise<boolean> {
    return (await lockScript.run(this.redis, [shardGroupLockKey(group)], [token, ttlMs])) === 1;
  }

  async unlock(group: number, token: string): Promise<void> {
    await unlockScript.run(this.redis, [shardGroupLockKey(group)], [token]);
  }

  /** Reads at most `perShard` entries of each outbox, in one pipeline. */
  async read(positions: OutboxPositions, perShard: number): Promise<OutboxPage[]> {
    const pipeline = this.redis.pipeline();
    for (const [shard, after] of positions) {
      pipeline.xrange(chatKeys(shard).outbox, rangeAfter(after), '+', 'COUNT', perShard);
    }
    const replies = (await pipeline.exec()) ?? [];
    return [...positions.keys()].map((shard, index) => {
      const [error, rows] = replies[index] ?? [];
      if (error) throw error;
      return { shard, entries: (rows as [string, string[]][]).map((row) => toOutboxEntry(shard, row)) };
    });
  }

  /** Whether any outbox holds an entry after its position. XREAD answers that without looking at the entries. */
  async hasMore(positions: OutboxPositions): Promise<boolean> {
    const pipeline = this.redis.pipeline();
    for (const [shard, after] of positions)
      pipeline.xread('COUNT', 1, 'STREAMS', chatKeys(shard).outbox, after === '' ? '0-0' : after);
    const replies = (await pipeline.exec()) ?? [];
    return replies.some(([error, found]) => {
      if (error) throw error;
      return found !== null;
    });
  }

  /** Removes what is durable now, by id; the streams of ended chats expire after `expireMs`. */
  async remove(
    entries: readonly OutboxEntry[],
    endedSessions: readonly Pick<OutboxEntry, 'shard' | 'sessionId'>[],
    expireMs: number,
  ): Promise<void> {
    const idsOfShard = new Map<number, string[]>();
    for (const { shard, outboxId } of entries) {
      const ids = idsOfShard.get(shard);
      if (ids) ids.push(outboxId);
      else idsOfShard.set(shard, [outboxId]);
    }
    const pipeline = this.redis.pipeline();
    // Before the entries go: cut here, the entry is carried again, and with it this.
    for (const { shard, sessionId } of endedSessions) {
      pipeline.pexpire(chatKeys(shard).stream(sessionId), expireMs);
    }
    for (const [shard, ids] of idsOfShard) pipeline.xdel(chatKeys(shard).outbox, ...ids);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  /** The shard groups that have something to carry. */
  async filledGroups(): Promise<number[]> {
    const pipeline = this.redis.pipeline();
    for (const shard of shards) pipeline.xlen(chatKeys(shard).outbox);
    const replies = (await pipeline.exec()) ?? [];
    const filled = shards.filter((_, index) => {
      const [error, length] = replies[index] ?? [];
      if (error) throw error;
      return Number(length) > 0;
    });
    return [...new Set(filled.map(shardGroupOf))];
  }

  /** @param heldUpTo outbox ids up to which everything of a shard is held back on purpose. */
  async backlog(heldUpTo: OutboxPositions = new Map()): Promise<Backlog> {
    const calls = shards.map((shard) => {
      const keys = chatKeys(shard);
      return {
        keys: [keys.outbox, keys.deadLetters],
        parameters: [rangeAfter(heldUpTo.get(shard) ?? '')],
      };
    });
    const [[seconds], replies] = await Promise.all([
      this.redis.time(),
      figuresScript.runAll(this.redis, calls),
    ]);
    const backlog = { length: 0, ageMs: 0, fillRatio: 0, deadLetters: 0 };
    for (const [length, bytes, oldestId, deadLetters] of replies) {
      backlog.length += length;
      backlog.deadLetters += deadLetters;
      backlog.fillRatio = Math.max(backlog.fillRatio, length / OUTBOX_MAX_ENTRIES, bytes / OUTBOX_MAX_BYTES);
      if (oldestId) backlog.ageMs = Math.max(backlog.ageMs, Number(seconds) * 1_000 - parseInt(oldestId, 10));
    }
    return backlog;
  }
}
