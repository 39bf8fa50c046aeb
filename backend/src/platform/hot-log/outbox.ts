import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { REDIS } from '../redis/redis.module';
import { RedisScript } from '../redis/redis-script';
import { CELL_COUNT, chatKeys, laneOf } from '../redis/redis-keys';

/** An event on its way to the durable log. */
export interface OutboxEntry {
  cell: number;
  /** Id in the outbox. */
  outboxId: string;
  sessionId: string;
  /** Id in the session's stream. */
  entryId: string;
  /** The event as it was appended. */
  text: string;
}

/** KEYS: lock. ARGV: token, ttl ms. */
const lockScript = new RedisScript<0 | 1>(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);
const unlockScript = new RedisScript<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

const idAfter = (id: string): string => {
  const dash = id.indexOf('-');
  return `${id.slice(0, dash)}-${Number(id.slice(dash + 1)) + 1}`;
};

const cellsOf = (lane: number): number[] =>
  Array.from({ length: CELL_COUNT }, (_, cell) => cell).filter((cell) => laneOf(cell) === lane);

const lockKey = (lane: number): string => `lane:{${lane}}:lock`;

/** The cells' outboxes, as a worker reads them. */
@Injectable()
export class Outbox {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Takes a lane, or keeps it for another `ttlMs`. Only spares double work: writing twice does no harm. */
  async lock(lane: number, token: string, ttlMs: number): Promise<boolean> {
    return (await lockScript.run(this.redis, [lockKey(lane)], [token, ttlMs])) === 1;
  }

  async unlock(lane: number, token: string): Promise<void> {
    await unlockScript.run(this.redis, [lockKey(lane)], [token]);
  }

  /** The heads of a lane's outboxes, at most `perCell` each, in one pipeline. */
  async heads(lane: number, perCell: number): Promise<OutboxEntry[]> {
    const cells = cellsOf(lane);
    const pipeline = this.redis.pipeline();
    for (const cell of cells) pipeline.xrange(chatKeys(cell).outbox, '-', '+', 'COUNT', perCell);
    const replies = (await pipeline.exec()) ?? [];
    return replies.flatMap(([error, rows], index) => {
      if (error) throw error;
      return (rows as [string, string[]][]).map(([outboxId, fields]) => ({
        cell: cells[index] ?? 0,
        outboxId,
        sessionId: fields[1] ?? '',
        entryId: fields[3] ?? '',
        text: fields[5] ?? '',
      }));
    });
  }

  /** Removes what is durable now; streams of ended chats expire after `expireMs`. */
  async remove(
    entries: readonly OutboxEntry[],
    endedSessions: readonly OutboxEntry[],
    expireMs: number,
  ): Promise<void> {
    const pipeline = this.redis.pipeline();
    // They are the heads of their outboxes, in order: all up to the last one of each can go.
    const lastOfCell = new Map(entries.map(({ cell, outboxId }) => [cell, outboxId]));
    for (const [cell, outboxId] of lastOfCell)
      pipeline.xtrim(chatKeys(cell).outbox, 'MINID', idAfter(outboxId));
    for (const { cell, sessionId } of endedSessions)
      pipeline.pexpire(chatKeys(cell).stream(sessionId), expireMs);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  /** Sets an entry aside that can never be written; it is kept for a person to look at. */
  async setAside(entry: OutboxEntry): Promise<void> {
    const { outbox, prefix } = chatKeys(entry.cell);
    const { sessionId, entryId, text } = entry;
    await this.redis
      .multi()
      .xadd(`${prefix}poison`, '*', 's', sessionId, 'i', entryId, 'e', text)
      .xdel(outbox, entry.outboxId)
      .exec();
  }

  /** Lanes that have something to carry. */
  async filledLanes(): Promise<number[]> {
    const cells = await this.filledCells(Array.from({ length: CELL_COUNT }, (_, cell) => cell));
    return [...new Set(cells.map(laneOf))];
  }

  /** Whether a lane has something to carry. */
  async isFilled(lane: number): Promise<boolean> {
    return (await this.filledCells(cellsOf(lane))).length > 0;
  }

  private async filledCells(cells: readonly number[]): Promise<number[]> {
    const pipeline = this.redis.pipeline();
    for (const cell of cells) pipeline.xlen(chatKeys(cell).outbox);
    const replies = (await pipeline.exec()) ?? [];
    return cells.filter((_, index) => {
      const [error, length] = replies[index] ?? [];
      if (error) throw error;
      return Number(length) > 0;
    });
  }

  /** Entries that wait, and the age of the oldest in ms. */
  async backlog(): Promise<{ length: number; ageMs: number }> {
    const pipeline = this.redis.pipeline();
    for (let cell = 0; cell < CELL_COUNT; cell += 1) {
      pipeline.xlen(chatKeys(cell).outbox).xrange(chatKeys(cell).outbox, '-', '+', 'COUNT', 1);
    }
    const replies = (await pipeline.exec()) ?? [];
    let length = 0;
    let oldest = Infinity;
    for (const [error, reply] of replies) {
      if (error) throw error;
      if (typeof reply === 'number') length += reply;
      else
        for (const [id] of reply as [string, string[]][]) oldest = Math.min(oldest, Number(id.split('-')[0]));
    }
    return { length, ageMs: oldest === Infinity ? 0 : Math.max(0, Date.now() - oldest) };
  }
}
