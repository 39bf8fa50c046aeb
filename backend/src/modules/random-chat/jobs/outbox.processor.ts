import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { sqlStateOf } from '../../../platform/errors/store-failure';
import { Outbox, type OutboxPage, type OutboxPositions, shardsOf } from '../../../platform/hot-log/outbox';
import { GracefulStop } from '../../../platform/lifecycle/graceful-stop';
import { reasonOf } from '../../../platform/observability/warn-about';
import { JobHandlers } from '../../../platform/queue/job-handlers';
import { JobWorker } from '../../../platform/queue/job-worker';
import { laneOf } from '../../../platform/redis/redis-keys';
import { GATHER_MS, OutboxWaker } from '../application/outbox-waker';
import { HeldChats } from './held-chats';
import { OutboxWriter } from './outbox-writer.service';

/** Entries of one outbox that are read at once, unless that has taken too long. */
const MAX_PER_SHARD = 500;
const MIN_PER_SHARD = 10;
const LOCK_MS = 10_000;
const LOOK_EVERY_MS = 2_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5_000;

/** Another worker has taken the shard group. */
class LockLost extends Error {}

interface Waiting {
  failures: number;
  /** By the monotonic clock. */
  retryAt: number;
}

/**
 * Carries shard groups from Redis to PostgreSQL: when a replica says that an outbox has begun to fill, and every two
 * seconds by itself. The latter needs no job, so it drains a Redis that is too full to take one, and a lost wake-up
 * strands nothing.
 */
@Injectable()
export class OutboxProcessor implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OutboxProcessor.name);
  /** When this worker last began with a group. */
  private readonly begunAt = new Map<number, number>();
  /** The groups whose store has failed. */
  private readonly waiting = new Map<number, Waiting>();
  private readonly underWay = new Set<Promise<void>>();
  private perShard = MAX_PER_SHARD;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private isClosing = false;

  /**
   * When this worker last learned how things stand (monotonic, ms): a pass came to its end, another worker has the
   * group, or PostgreSQL said why not.
   */
  answeredAt = performance.now();

  constructor(
    private readonly outbox: Outbox,
    private readonly writer: OutboxWriter,
    private readonly held: HeldChats,
    private readonly handlers: JobHandlers,
    private readonly jobWorker: JobWorker,
    private readonly waker: OutboxWaker,
    private readonly gracefulStop: GracefulStop,
  ) {}

  onModuleInit(): void {
    this.handlers.register('persist_lane', ({ lane }) => this.persistInTurn(lane));
    this.gracefulStop.register('workers', 'outboxes', () => this.close());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Begins nothing more, and waits for what is under way. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await Promise.all(this.underWay);
  }

  private async look(): Promise<void> {
    if (this.isLooking || !this.jobWorker.isReady) return;
    this.isLooking = true;
    try {
      // Also where chats are held: another worker may have written what was held here.
      const groups = new Set([...(await this.outbox.filledGroups()), ...[...this.held.shards].map(laneOf)]);
      if (groups.size === 0) this.answeredAt = performance.now();
      await Promise.all([...groups].map((group) => this.persistInTurn(group)));
    } catch (error) {
      this.logger.warn(`The outboxes were not looked at: ${storeReasonOf(error)}`);
    } finally {
      this.isLooking = false;
    }
  }

  /**
   * However many replicas wake a group, it is gone through once in a while: what a pass costs hardly depends on how
   * much it carries.
   */
  private async persistInTurn(group: number): Promise<void> {
    const now = performance.now();
    if (this.isClosing || now < (this.waiting.get(group)?.retryAt ?? 0)) return;
    if (now - (this.begunAt.get(group) ?? -Infinity) < GATHER_MS) return this.waker.wakeSoon(group);
    this.begunAt.set(group, now);
    const pass = this.persist(group);
    this.underWay.add(pass);
    await pass;
    this.underWay.delete(pass);
  }

  /**
   * Carries what the outboxes of a group hold. What comes in meanwhile is left to gather for the next time.
   * @returns when that is done, another worker is at it, or a store has failed.
   */
  async persist(group: number): Promise<void> {
    const token = randomUUID();
    try {
      if (await this.outbox.lock(group, token, LOCK_MS)) await this.persistLocked(group, token);
      if (this.waiting.delete(group)) this.logger.log(`Shard group ${group} is carried again`);
      this.answeredAt = performance.now();
    } catch (error) {
      if (error instanceof LockLost) return;
      this.wait(group, error);
    }
  }

  private async persistLocked(group: number, token: string): Promise<void> {
    let isLocked = true;
    const renewing = setInterval(() => {
      this.outbox.lock(group, token, LOCK_MS).then(
        (isMine) => (isLocked &&= isMine),
        () => undefined, // what comes next meets the same
      );
    }, LOCK_MS / 4);
    try {
      const end = await this.passOver(shardsOf(group), () => {
        if (!isLocked || this.isClosing) throw new LockLost();
      });
      // The replicas speak up for outboxes only that were empty.
      if (await this.outbox.hasMore(end)) this.waker.wakeSoon(group);
    } finally {
      clearInterval(renewing);
      await this.outbox.unlock(group, token).catch(() => undefined); // it runs out by itself
    }
  }

  /** @returns up to where each shard was read. */
  private async passOver(shards: readonly number[], keepOn: () => void): Promise<OutboxPositions> {
    const pass = this.held.beginPass(shards, performance.now());
    for (let unread = pass.starts; unread.size > 0;) {
      const { pages, perShard } = await this.read(unread);
      const entries = pages.flatMap((page) => page.entries);
      await this.writer.write(entries, pass, keepOn);
      pass.passed(entries);
      const full = pages.filter((page) => page.entries.length === perShard);
      unread = new Map(full.map((page) => [page.shard, page.entries.at(-1)?.outboxId ?? '']));
    }
    return pass.end();
  }

  /** Entries may be large: what takes too long in one command is read in smaller pages at once, and for a while. */
  private async read(positions: OutboxPositions): Promise<{ pages: OutboxPage[]; perShard: number }> {
    const { perShard } = this;
    try {
      const pages = await this.outbox.read(positions, perShard);
      this.perShard = Math.min(MAX_PER_SHARD, perShard + MIN_PER_SHARD);
      return { pages, perShard };
    } catch (error) {
      if (perShard === MIN_PER_SHARD) throw error;
      this.perShard = Math.max(MIN_PER_SHARD, Math.floor(perShard / 4));
      return this.read(positions);
    }
  }

  private wait(group: number, error: unknown): void {
    if (sqlStateOf(error)) this.answeredAt = performance.now();
    const failures = (this.waiting.get(group)?.failures ?? 0) + 1;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
    this.waiting.set(group, { failures, retryAt: performance.now() + delayMs });
    if (failures === 1)
      this.logger.warn(`Shard group ${group} waits for its stores: ${storeReasonOf(error)}`);
  }
}

/** Not the message of an answer of PostgreSQL, which may quote what was said. */
const storeReasonOf = (error: unknown): string => sqlStateOf(error) ?? reasonOf(error);
