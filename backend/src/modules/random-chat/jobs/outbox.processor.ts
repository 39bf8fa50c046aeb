import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { findSqlState } from '../../../platform/errors/store-failure.errors';
import {
  OutboxRepository,
  type OutboxPage,
  type OutboxPositions,
  listShards,
} from '../../../platform/hot-log/outbox.repository';
import { GracefulShutdownService } from '../../../platform/lifecycle/graceful-shutdown.service';
import { readErrorMessage } from '../../../platform/observability/warn-about.functions';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobWorkerService } from '../../../platform/queue/job-worker.service';
import { findShardGroup } from '../../../platform/redis/redis.keys';
import { BATCH_WINDOW_MS, OutboxSchedulerService } from '../application/outbox-scheduler.service';
import { HeldChatRegistry } from './held-chat.registry';
import { OutboxWriterService } from './outbox-writer.service';

/** Maximum number of entries read from one outbox per command; fewer after a failed read. */
const MAX_PAGE_SIZE = 500;
/** Minimum number of entries per command: if even such a small read fails, Redis has failed. */
const MIN_PAGE_SIZE = 10;
/** The lock of a shard group expires after this time, unless it is renewed. */
const LOCK_MS = 10_000;
/** Shorter than the life of the lock, so that single renewals may fail. */
const RENEW_LOCK_EVERY_MS = LOCK_MS / 4;
const POLL_EVERY_MS = 2_000;
/**
 * A job starts a pass only if the last pass began at least this long ago. Jobs are one batch window apart; after a late
 * job, the next one follows sooner.
 */
const MIN_PASS_INTERVAL_MS = BATCH_WINDOW_MS / 2;
/** If no pass over a group has begun for this time, the jobs of the group are missing: the poll starts the pass. */
const MAX_JOB_INTERVAL_MS = BATCH_WINDOW_MS * 1.5;
/** Delay before a group whose store has failed is tried again; it doubles with each further failure. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

/** Thrown to end a pass because another worker has locked the shard group or this process is stopping. */
class PassStoppedError extends Error {}

interface FailedGroup {
  failures: number;
  /** When the group is due for a retry (monotonic clock, ms). */
  retryAt: number;
}

/**
 * Moves the entries of outboxes from Redis to PostgreSQL, in passes over a shard group (16 of the 64 shards). A pass is
 * started by a job, which a replica adds when it writes to an empty outbox, and by a poll every two seconds. The poll
 * also drains a Redis that is too full to accept a job, and ensures that a lost job loses no event.
 */
@Injectable()
export class OutboxProcessor implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OutboxProcessor.name);
  /** When this worker last started a pass over each group (monotonic, ms). */
  private readonly passStartedAt = new Map<number, number>();
  /** The groups whose last pass ended with a failure of a store. */
  private readonly failedGroups = new Map<number, FailedGroup>();
  private readonly passesInProgress = new Set<Promise<void>>();
  private pageSize = MAX_PAGE_SIZE;
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;
  private isClosing = false;

  /**
   * When this worker last made progress (monotonic, ms): a pass ended, another worker held the lock, all outboxes were
   * empty, or PostgreSQL reported an error. `OutboxWatchdogService` reads it to restart a worker that is stuck.
   */
  progressedAt = performance.now();

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly writer: OutboxWriterService,
    private readonly heldChats: HeldChatRegistry,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobWorker: JobWorkerService,
    private readonly scheduler: OutboxSchedulerService,
    private readonly gracefulShutdown: GracefulShutdownService,
  ) {}

  onModuleInit(): void {
    // The job and its field keep their stored names (docs/stored-names.md). A `lane` is a shard group.
    this.handlers.register('persist_lane', ({ lane }) =>
      this.persistUnlessRecent(lane, MIN_PASS_INTERVAL_MS),
    );
    this.gracefulShutdown.register('workers', 'outboxes', () => this.close());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.poll(), POLL_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Starts no more passes and waits for those in progress. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await Promise.all(this.passesInProgress);
  }

  private async poll(): Promise<void> {
    if (this.isPolling || !this.jobWorker.isReady) return;
    this.isPolling = true;
    try {
      // Also groups of held chats (their next entry could not be written): if another worker has written their entries,
      // a pass finds out and releases them.
      const groups = new Set([
        ...(await this.outbox.findFilledGroups()),
        ...[...this.heldChats.shards].map(findShardGroup),
      ]);
      if (groups.size === 0) this.progressedAt = performance.now();
      await Promise.all([...groups].map((group) => this.persistUnlessRecent(group, MAX_JOB_INTERVAL_MS)));
    } catch (error) {
      this.logger.warn(`The outboxes were not polled: ${describeStoreError(error)}`);
    } finally {
      this.isPolling = false;
    }
  }

  /**
   * Starts a pass over a group, or schedules a job for it if a pass has started less than `minIntervalMs` ago: a few
   * large passes cost less than many small ones. Does nothing while the group waits for a retry.
   */
  private async persistUnlessRecent(group: number, minIntervalMs: number): Promise<void> {
    const now = performance.now();
    if (this.isClosing || now < (this.failedGroups.get(group)?.retryAt ?? 0)) return;
    if (now - (this.passStartedAt.get(group) ?? -Infinity) < minIntervalMs)
      return this.scheduler.schedule(group);
    this.passStartedAt.set(group, now);
    const pass = this.persist(group);
    this.passesInProgress.add(pass);
    await pass;
    this.passesInProgress.delete(pass);
  }

  /**
   * Makes a pass over a group: writes the entries in its outboxes. Entries added during the pass are left for the next
   * pass. Resolves when the entries are written, another worker holds the lock, or a store has failed. Never rejects.
   */
  async persist(group: number): Promise<void> {
    const token = randomUUID();
    try {
      // If another worker holds the lock, that worker persists the group.
      if (await this.outbox.lock(group, token, LOCK_MS)) await this.persistLocked(group, token);
      if (this.failedGroups.delete(group)) this.logger.log(`Shard group ${group} is persisted again`);
      this.progressedAt = performance.now();
    } catch (error) {
      if (error instanceof PassStoppedError) return;
      this.backOff(group, error);
    }
  }

  private async persistLocked(group: number, token: string): Promise<void> {
    let isLocked = true;
    const renewTimer = setInterval(() => {
      // `lock` extends the lock if `token` still holds it.
      this.outbox.lock(group, token, LOCK_MS).then(
        (isStillMine) => (isLocked &&= isStillMine),
        () => undefined, // if Redis is unavailable, the next command of the pass fails as well and ends it
      );
    }, RENEW_LOCK_EVERY_MS);
    try {
      const readUpTo = await this.processShards(listShards(group), () => {
        if (!isLocked || this.isClosing) throw new PassStoppedError();
      });
      // Replicas add jobs only for outboxes that were empty, so the worker itself has to schedule the rest.
      if (await this.outbox.hasMore(readUpTo)) this.scheduler.schedule(group);
    } finally {
      clearInterval(renewTimer);
      await this.outbox.unlock(group, token).catch(() => undefined); // the lock expires by itself
    }
  }

  /** Reads and writes all entries of the shards, page by page. @returns the last outbox id read of each shard. */
  private async processShards(
    shards: readonly number[],
    throwIfStopped: () => void,
  ): Promise<OutboxPositions> {
    const pass = this.heldChats.beginPass(shards, performance.now());
    for (let unread = pass.starts; unread.size > 0;) {
      const { pages, pageSize } = await this.readPages(unread);
      const entries = pages.flatMap((page) => page.entries);
      await this.writer.write(entries, pass, throwIfStopped);
      pass.markProcessed(entries);
      const fullPages = pages.filter((page) => page.entries.length === pageSize);
      unread = new Map(fullPages.map((page) => [page.shard, page.entries.at(-1)?.outboxId ?? '']));
    }
    return pass.end();
  }

  /**
   * Reads a page of each outbox. Entries may be large, so a failed read is repeated with smaller pages. Their size then
   * grows again slowly.
   * @returns the pages, and the page size with which they were read.
   */
  private async readPages(positions: OutboxPositions): Promise<{ pages: OutboxPage[]; pageSize: number }> {
    const { pageSize } = this;
    try {
      const pages = await this.outbox.read(positions, pageSize);
      this.pageSize = Math.min(MAX_PAGE_SIZE, pageSize + MIN_PAGE_SIZE);
      return { pages, pageSize };
    } catch (error) {
      if (pageSize === MIN_PAGE_SIZE) throw error;
      this.pageSize = Math.max(MIN_PAGE_SIZE, Math.floor(pageSize / 4));
      return this.readPages(positions);
    }
  }

  private backOff(group: number, error: unknown): void {
    // PostgreSQL responds, so a restart of this worker would not help.
    if (findSqlState(error)) this.progressedAt = performance.now();
    const failures = (this.failedGroups.get(group)?.failures ?? 0) + 1;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
    this.failedGroups.set(group, { failures, retryAt: performance.now() + delayMs });
    if (failures === 1)
      this.logger.warn(`Shard group ${group} waits for its stores: ${describeStoreError(error)}`);
  }
}

/** The SQLSTATE of an error of PostgreSQL, whose message may quote the text of a chat; otherwise the message. */
const describeStoreError = (error: unknown): string => findSqlState(error) ?? readErrorMessage(error);
