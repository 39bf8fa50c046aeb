import { Inject, Injectable } from '@nestjs/common';
import { lockScript, unlockScript } from '../redis/lock.scripts';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { openBatch, type RedisBatch } from '../redis/redis-nodes.functions';
import { chatKeys, SHARD_COUNT, shardGroupLockKey, findShardGroup } from '../redis/redis.keys';
import { measureShardScript, OUTBOX_MAX_BYTES, OUTBOX_MAX_ENTRIES } from './outbox.scripts';

/** An event of a random chat that is not in the durable log in PostgreSQL yet. */
export interface OutboxEntry {
  /** The shard, a fixed group of chats, whose outbox has the entry. */
  shard: number;
  /** Id in the outbox. It begins with the time at which the entry was appended, in ms by the clock of Redis. */
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
  /**
   * Age of the oldest entry that is not held, in ms by the clock of Redis; 0 if there is none. A chat's entries are
   * held while the first of them cannot be written.
   */
  ageMs: number;
  /** How full the fullest outbox is, by entries or by bytes, as a fraction of its cap. */
  fillRatio: number;
  /** Entries that were set aside because PostgreSQL refuses their content. */
  deadLetters: number;
}

/** For each shard, the outbox id after which to read; '' to read from the beginning. */
export type OutboxPositions = ReadonlyMap<number, string>;

const allShards: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** Returns the shards of a shard group. */
export const listShardsOfGroup = (group: number): number[] =>
  allShards.filter((shard) => findShardGroup(shard) === group);

/** Start of an XRANGE after an entry: `(` excludes the entry itself. */
const buildRangeStart = (outboxId: string): string => (outboxId === '' ? '-' : `(${outboxId}`);

/**
 * Converts an entry of an outbox or of the dead letters, as XRANGE returns it. Its fields are alternately a name and a
 * value, `session`, `entry` and `event` first. A dead letter has a further one.
 */
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

/**
 * Sends a batch.
 * @returns the replies of its commands, in order.
 * @throws the first error of a command.
 */
const execute = async (batch: RedisBatch): Promise<unknown[]> => {
  const replies = (await batch.exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
};

/**
 * Reads and clears the outboxes of the shards, for workers. A shard group is a set of shards that only one worker
 * processes at a time.
 */
@Injectable()
export class OutboxRepository {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /**
   * Locks a shard group for `ttlMs`, or extends the lock. The lock only avoids duplicate work: writing an entry twice
   * is harmless.
   * @returns whether `token` holds the lock.
   */
  async lock(group: number, token: string, ttlMs: number): Promise<boolean> {
    return (await lockScript.run(this.redis, [shardGroupLockKey(group)], [token, ttlMs])) === 1;
  }

  async unlock(group: number, token: string): Promise<void> {
    await unlockScript.run(this.redis, [shardGroupLockKey(group)], [token]);
  }

  /** Reads at most `maxPerShard` entries of each outbox, in one batch. */
  async read(positions: OutboxPositions, maxPerShard: number): Promise<OutboxPage[]> {
    const batch = openBatch(this.redis);
    for (const [shard, afterId] of positions) {
      batch.xrange(chatKeys(shard).outbox, buildRangeStart(afterId), '+', 'COUNT', maxPerShard);
    }
    const replies = await execute(batch);
    return [...positions.keys()].map((shard, index) => {
      const rows = replies[index] as [string, string[]][];
      return { shard, entries: rows.map((row) => toOutboxEntry(shard, row)) };
    });
  }

  /** Whether any outbox has an entry after its position. For XREAD, the id `0-0` is the beginning. */
  async hasMore(positions: OutboxPositions): Promise<boolean> {
    const batch = openBatch(this.redis);
    for (const [shard, afterId] of positions) {
      batch.xread('COUNT', 1, 'STREAMS', chatKeys(shard).outbox, afterId === '' ? '0-0' : afterId);
    }
    // Without `execute`, because one outbox with entries suffices, even if a later command has failed.
    for (const [error, found] of (await batch.exec()) ?? []) {
      if (error) throw error;
      if (found !== null) return true;
    }
    return false;
  }

  /** Removes entries that are in the durable log, and lets the streams of ended chats expire after `expireMs`. */
  async remove(
    entries: readonly OutboxEntry[],
    endedChats: readonly Pick<OutboxEntry, 'shard' | 'sessionId'>[],
    expireMs: number,
  ): Promise<void> {
    const idsByShard = new Map<number, string[]>();
    for (const { shard, outboxId } of entries) {
      const ids = idsByShard.get(shard);
      if (ids) ids.push(outboxId);
      else idsByShard.set(shard, [outboxId]);
    }
    const batch = openBatch(this.redis);
    // The expiry comes before the removal: if the process dies in between, the entries are processed again, which sets
    // the expiry again.
    for (const { shard, sessionId } of endedChats) {
      batch.pexpire(chatKeys(shard).stream(sessionId), expireMs);
    }
    for (const [shard, ids] of idsByShard) batch.xdel(chatKeys(shard).outbox, ...ids);
    await execute(batch);
  }

  /** Returns the shard groups with a non-empty outbox. */
  async findFilledGroups(): Promise<number[]> {
    const batch = openBatch(this.redis);
    for (const shard of allShards) batch.xlen(chatKeys(shard).outbox);
    const lengths = await execute(batch);
    const filledShards = allShards.filter((shard) => Number(lengths[shard]) > 0);
    return [...new Set(filledShards.map(findShardGroup))];
  }

  /**
   * Measures the outboxes of all shards.
   * @param heldUpTo for each shard, the outbox id up to which all entries are held; `ageMs` ignores these entries.
   */
  async measureBacklog(heldUpTo: OutboxPositions = new Map()): Promise<Backlog> {
    const calls = allShards.map((shard) => {
      const keys = chatKeys(shard);
      return {
        keys: [keys.outbox, keys.deadLetters],
        parameters: [buildRangeStart(heldUpTo.get(shard) ?? '')],
      };
    });
    const [[seconds], replies] = await Promise.all([
      this.redis.time(),
      measureShardScript.runAll(this.redis, calls),
    ]);
    const nowMs = Number(seconds) * 1_000;
    const backlog = { length: 0, ageMs: 0, fillRatio: 0, deadLetters: 0 };
    for (const [length, bytes, oldestId, deadLetters] of replies) {
      backlog.length += length;
      backlog.deadLetters += deadLetters;
      backlog.fillRatio = Math.max(backlog.fillRatio, length / OUTBOX_MAX_ENTRIES, bytes / OUTBOX_MAX_BYTES);
      if (oldestId !== '') {
        const appendedAtMs = parseInt(oldestId, 10);
        backlog.ageMs = Math.max(backlog.ageMs, nowMs - appendedAtMs);
      }
    }
    return backlog;
  }
}
