import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { type Backlog, OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { openBatch, scanKeys } from '../../../platform/redis/redis-nodes.functions';
import { chatStreams, drainingKey, layoutKey, matchingKeys } from '../../../platform/redis/redis.keys';
import { requireOwnLayout } from '../../../platform/redis/redis-layout.functions';
import { encodeEvent, decodeEvent } from '../application/chat-event.codec';

const POLL_INTERVAL_MS = 200;
/** Lifetime of the key that blocks the start of processes. A running drain renews it; a killed one cannot delete it. */
const MARKER_TTL_MS = 60_000;
/** Keys that Redis examines for one SCAN command. */
const SCAN_COUNT = 1_000;

export interface DrainOptions {
  /** Give up after this time without progress. */
  stuckAfterMs: number;
}

/**
 * Moves every acknowledged event from Redis to PostgreSQL and then empties Redis, for a release that changes the layout
 * of Redis (its keys and values). The old release performs the drain. Its replicas must have been stopped, and one of
 * its workers must be running: the worker writes the outboxes, in which the events wait, to PostgreSQL.
 */
@Injectable()
export class RedisDrainService {
  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly chatLog: ChatLogRepository,
    private readonly outbox: OutboxRepository,
  ) {}

  /**
   * Waits until all outboxes are empty, ends the open chats, waits again, and deletes every key.
   * @returns the number of deleted keys.
   * @throws Error that names what prevents the drain; nothing has been deleted then.
   */
  async drain({ stuckAfterMs }: DrainOptions): Promise<number> {
    await requireOwnLayout(this.redis);
    await this.setDrainingMarker();
    try {
      await this.waitUntilReplicasAreGone(stuckAfterMs);
      // First without ending any chat, so that a drain that gets stuck here leaves all chats open.
      await this.waitUntilPersisted(stuckAfterMs);
      await this.endChats(stuckAfterMs);
      await this.waitUntilPersisted(stuckAfterMs);
    } catch (error) {
      await this.redis.del(drainingKey);
      throw error;
    }
    return this.deleteEverything();
  }

  /** Sets or renews the marker that prevents processes from starting. */
  private async setDrainingMarker(): Promise<void> {
    await this.redis.set(drainingKey, '1', 'PX', MARKER_TTL_MS);
  }

  private async waitUntilReplicasAreGone(stuckAfterMs: number): Promise<void> {
    await this.waitUntilNoneRemain({
      readRemaining: () => this.readLiveReplicas(),
      describeProblem: (replicas) => `Replicas are still running: ${replicas.join(', ')}`,
      stuckAfterMs,
    });
  }

  /** Reads the ids of the replicas that hold a lease. A stopped replica no longer renews its lease, which expires. */
  private async readLiveReplicas(): Promise<string[]> {
    const [seconds] = await this.redis.time();
    // The score of a replica is the time at which its lease expires; `(` excludes the current time itself.
    return this.redis.zrangebyscore(matchingKeys.leases, `(${Number(seconds) * 1_000}`, '+inf');
  }

  /**
   * Ends the open chats. They cannot continue in an empty Redis, and without an end in the event log their message
   * bodies would be kept too long.
   */
  private async endChats(stuckAfterMs: number): Promise<void> {
    for await (const keys of scanKeys(this.redis, chatStreams.pattern, SCAN_COUNT)) {
      for (const key of keys) await this.endChat(chatStreams.parseSessionId(key), stuckAfterMs);
      await this.setDrainingMarker();
    }
  }

  private async endChat(sessionId: string, stuckAfterMs: number): Promise<void> {
    const event = { type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } } as const;
    const text = encodeEvent({ eventId: randomUUID(), event });
    const deadlineAt = Date.now() + stuckAfterMs;
    for (;;) {
      const { version, last } = await this.chatLog.readFirstAndLast(sessionId);
      if (!last || isEndOfChat(last.text)) return;
      const expectedStreamEnd = { version, lastId: last.id };
      const { kind } = await this.chatLog.append(sessionId, expectedStreamEnd, [text], { isEnd: true });
      if (kind === 'appended') return;
      // The append fails if another writer has appended since the read, so both are repeated.
      if (Date.now() > deadlineAt) throw new Error(`Chat ${sessionId} cannot be ended: ${kind}`);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  private async waitUntilPersisted(stuckAfterMs: number): Promise<void> {
    await this.waitUntilNoneRemain({
      readRemaining: () => this.readBacklog(),
      // A worker's metric `thaw_held_chats` counts the chats whose events the worker cannot write.
      describeProblem: ({ length }) =>
        `${length} events still wait for PostgreSQL: is a worker running, and is its thaw_held_chats 0?`,
      stuckAfterMs,
    });
  }

  /** @throws Error when there are dead letters: no worker would ever write them to PostgreSQL. */
  private async readBacklog(): Promise<Backlog> {
    const backlog = await this.outbox.measureBacklog();
    if (backlog.deadLetters > 0)
      throw new Error(
        `Redis alone holds ${backlog.deadLetters} dead letters: see main.migrate.js --dead-letters list`,
      );
    return backlog;
  }

  /**
   * Polls until nothing remains.
   * @throws Error with the described problem when `length` has not fallen for `stuckAfterMs`. Also throws the errors of
   * `readRemaining`.
   */
  private async waitUntilNoneRemain<Remaining extends { length: number }>({
    readRemaining,
    describeProblem,
    stuckAfterMs,
  }: {
    readRemaining: () => Promise<Remaining>;
    describeProblem: (remaining: Remaining) => string;
    stuckAfterMs: number;
  }): Promise<void> {
    let lowestCount = Infinity;
    let progressedAt = Date.now();
    for (;;) {
      const remaining = await readRemaining();
      if (remaining.length === 0) return;
      if (remaining.length < lowestCount) {
        lowestCount = remaining.length;
        progressedAt = Date.now();
      }
      if (Date.now() - progressedAt > stuckAfterMs) throw new Error(describeProblem(remaining));
      await this.setDrainingMarker();
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** Deletes the marker and the layout last, so that no process starts before Redis is empty. */
  private async deleteEverything(): Promise<number> {
    let count = 0;
    for await (const keys of scanKeys(this.redis, '*', SCAN_COUNT)) {
      const dataKeys = keys.filter((key) => key !== drainingKey && key !== layoutKey);
      const batch = openBatch(this.redis);
      for (const key of dataKeys) batch.unlink(key);
      for (const [error, deleted] of (await batch.exec()) ?? []) {
        if (error) throw error;
        count += Number(deleted);
      }
      await this.setDrainingMarker();
    }
    await this.redis.del(drainingKey);
    await this.redis.del(layoutKey);
    return count;
  }
}

const isEndOfChat = (text: string): boolean => decodeEvent(text).event?.type === 'ChatEnded';
