import { Inject, Injectable } from '@nestjs/common';
import { lockScript, unlockScript } from '../redis/lock.scripts';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { openBatch } from '../redis/redis-nodes.functions';
import { chatKeys, SHARD_COUNT, shardGroupLockKey, findShardGroup } from '../redis/redis.keys';
import { figuresScript, OUTBOX_MAX_BYTES, OUTBOX_MAX_ENTRIES } from './outbox.scripts';

/** An event that is not in the durable log yet. */
export interface OutboxEntry {
  /** The shard of the outbox. */
  shard: number;
  /** Id in the outbox. */
  outboxId: string;
  sessionId: string;
  /** Id in the session's stream. */
  entryId: string;
  /** The serialised event, as it was appended. */
  text: string;
}

/** Entries read from one shard's outbox. */
export interface OutboxPage {
  shard: number;
  /** In the order of appending. */
  entries: readonly OutboxEntry[];
}

export interface Backlog {
  /** Entries in all outboxes. */
  length: number;
  /** Age in ms, by the clock of Redis, of the oldest entry that is not held back; 0 if there is none. */
  ageMs: number;
  /** How full the fullest outbox is, by entries or by bytes, as a fraction of its cap. */
  fillRatio: number;
  deadLetters: number;
}

/** Start of reading for each shard: after this outbox id; '' for the beginning. */
export type OutboxPositions = ReadonlyMap<number, string>;

const shards: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** Returns the shards of a shard group. */
export const listShards = (group: number): number[] =>
  shards.filter((shard) => findShardGroup(shard) === group);

const startAfter = (outboxId: string): string => (outboxId === '' ? '-' : `(${outboxId}`);

/** Converts a row of an outbox or of the dead letters: the fields `session`, `entry` and `event`, with their values. */
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

/** Reads and clears the shards' outboxes, for workers. */
@Injectable()
export class OutboxRepository {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /**
   * Locks a shard group for `ttlMs`, or extends the lock, which only avoids duplicate work: writing twice is harmless.
   * @returns whether the lock is held by `token`.
   */
  async lock(group: number, token: string, ttlMs: number): Promise<boolean> {
    return (await lockScript.run(this.redis, [shardGroupLockKey(group)], [token, ttlMs])) === 1;
  }

  async unlock(group: number, token: string): Promise<void> {
    await unlockScript.run(this.redis, [shardGroupLockKey(group)], [token]);
  }

  /** Reads at most `perShard` entries of each outbox, in one pipeline. */
  async read(positions: OutboxPositions, perShard: number): Promise<OutboxPage[]> {
    const pipeline = openBatch(this.redis);
    for (const [shard, after] of positions) {
      pipeline.xrange(chatKeys(shard).outbox, startAfter(after), '+', 'COUNT', perShard);
    }
    const replies = (await pipeline.exec()) ?? [];
    return [...positions.keys()].map((shard, index) => {
      const [error, rows] = replies[index] ?? [];
      if (error) throw error;
      return { shard, entries: (rows as [string, string[]][]).map((row) => toOutboxEntry(shard, row)) };
    });
  }

  /** Whether any outbox has an entry after its position. XREAD finds out without reading all entries. */
  async hasMore(positions: OutboxPositions): Promise<boolean> {
    const pipeline = openBatch(this.redis);
    for (const [shard, after] of positions)
      pipeline.xread('COUNT', 1, 'STREAMS', chatKeys(shard).outbox, after === '' ? '0-0' : after);
    const replies = (await pipeline.exec()) ?? [];
    return replies.some(([error, found]) => {
      if (error) throw error;
      return found !== null;
    });
  }

  /** Removes entries that are durable, by id, and lets the streams of ended chats expire after `expireMs`. */
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
    const pipeline = openBatch(this.redis);
    // The expiry comes before the deletion: if the process dies in between, the entries are processed again, and so is
    // the expiry.
    for (const { shard, sessionId } of endedSessions) {
      pipeline.pexpire(chatKeys(shard).stream(sessionId), expireMs);
    }
    for (const [shard, ids] of idsOfShard) pipeline.xdel(chatKeys(shard).outbox, ...ids);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  /** Returns the shard groups with a non-empty outbox. */
  async findFilledGroups(): Promise<number[]> {
    const pipeline = openBatch(this.redis);
    for (const shard of shards) pipeline.xlen(chatKeys(shard).outbox);
    const replies = (await pipeline.exec()) ?? [];
    const filled = shards.filter((_, index) => {
      const [error, length] = replies[index] ?? [];
      if (error) throw error;
      return Number(length) > 0;
    });
    return [...new Set(filled.map(findShardGroup))];
  }

  /** @param heldUpTo for each shard, the outbox id up to which entries are held back on purpose. */
  async measureBacklog(heldUpTo: OutboxPositions = new Map()): Promise<Backlog> {
    const calls = shards.map((shard) => {
      const keys = chatKeys(shard);
      return {
        keys: [keys.outbox, keys.deadLetters],
        parameters: [startAfter(heldUpTo.get(shard) ?? '')],
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
