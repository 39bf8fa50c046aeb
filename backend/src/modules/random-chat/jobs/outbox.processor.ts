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
  type OutboxEntry,
  type OutboxPage,
  type OutboxPositions,
  listShardsOfGroup,
} from '../../../platform/hot-log/outbox.repository';
import { GracefulShutdownService } from '../../../platform/lifecycle/graceful-shutdown.service';
import { readErrorMessage } from '../../../platform/observability/warn-about.functions';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobWorkerService } from '../../../platform/queue/job-worker.service';
import { findShardGroup } from '../../../platform/redis/redis.keys';
import { BATCH_WINDOW_MS, OutboxSchedulerService } from '../application/outbox-scheduler.service';
import { HeldChatRegistry } from './held-chat.registry';
import { OutboxWriterService } from './outbox-writer.service';

/** Maximum number of entries read from one outbox per command. After a failed read, `pageSize` is smaller. */
const MAX_PAGE_SIZE = 500;
/** Minimum number of entries per command: if even such a small read fails, Redis has failed. */
const MIN_PAGE_SIZE = 10;
/** The lock of a shard group expires after this time, unless it is renewed. */
const LOCK_MS = 10_000;
/** Shorter than the life of the lock, so that single renewals may fail. */
const RENEW_LOCK_EVERY_MS = LOCK_MS / 4;
const POLL_EVERY_MS = 2_000;
/**
 * A job starts a pass only if the last pass began at least this long ago. Half the usual time between jobs, because the
 * job after a late one comes sooner.
 */
const MIN_PASS_INTERVAL_MS = BATCH_WINDOW_MS / 2;
/** The poll starts a pass only if the last pass began at least this long ago. By then, a job is missing. */
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

/** The lock of a shard group, renewed until it is released. */
interface RenewedLock {
  /** Whether a renewal has found that another worker holds the lock. */
  isLost: boolean;
  release(): Promise<void>;
}

/**
 * Moves the entries of outboxes from Redis to PostgreSQL, in passes over a shard group (16 of the 64 shards). A pass is
 * started by a job, which a replica adds when it writes to an empty outbox, and by a poll every two seconds. The poll
 * also drains a Redis that is too full to accept a job, and ensures that a lost job loses no event.
 */
@Injectable()
export class OutboxProcessor implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  /**
   * When this worker last made progress (monotonic, ms): a pass ended, another worker held the lock, all outboxes were
   * empty, or PostgreSQL reported an error. `OutboxWatchdogService` reads it to restart a worker that is stuck.
   */
  progressedAt = performance.now();

  private readonly logger = new Logger(OutboxProcessor.name);
  /** When this worker last started a pass over each group (monotonic, ms). */
  private readonly passStartedAt = new Map<number, number>();
  /** The groups whose last pass ended with a failure of a store, unless their outboxes were empty at a later poll. */
  private readonly failedGroups = new Map<number, FailedGroup>();
  private readonly passesInProgress = new Set<Promise<void>>();
  private pageSize = MAX_PAGE_SIZE;
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;
  private isClosing = false;

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
      this.startPassUnlessRecent(lane, MIN_PASS_INTERVAL_MS),
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
      const filledGroups = await this.outbox.findFilledGroups();
      const emptyGroups = [...this.failedGroups.keys()].filter((group) => !filledGroups.includes(group));
      for (const group of emptyGroups) this.endFailure(group); // another worker has written the entries
      // Groups with held chats (whose next entry could not be written) need a pass even if their outboxes are empty: it
      // releases the chats whose entries another worker has written.
      const groups = new Set([...filledGroups, ...[...this.heldChats.shards].map(findShardGroup)]);
      if (groups.size === 0) this.progressedAt = performance.now();
      await Promise.all([...groups].map((group) => this.startPassUnlessRecent(group, MAX_JOB_INTERVAL_MS)));
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
  private async startPassUnlessRecent(group: number, minIntervalMs: number): Promise<void> {
    const now = performance.now();
    const retryAt = this.failedGroups.get(group)?.retryAt ?? 0;
    if (this.isClosing || now < retryAt) return;
    const lastStartedAt = this.passStartedAt.get(group) ?? -Infinity;
    if (now - lastStartedAt < minIntervalMs) return this.scheduler.schedule(group);
    this.passStartedAt.set(group, now);
    const pass = this.runPass(group);
    this.passesInProgress.add(pass);
    await pass;
    this.passesInProgress.delete(pass);
  }

  /**
   * Makes a pass over a group: writes the entries in its outboxes. Entries added after the last page was read are left
   * for the next pass. Resolves when the entries are written, another worker holds the lock, or a store has failed.
   * Never rejects.
   */
  private async runPass(group: number): Promise<void> {
    const token = randomUUID();
    try {
      // If another worker holds the lock, that worker makes the pass.
      if (await this.outbox.lock(group, token, LOCK_MS)) await this.runLockedPass(group, token);
      this.endFailure(group);
      this.progressedAt = performance.now();
    } catch (error) {
      if (error instanceof PassStoppedError) return; // no store has failed, so no retry has to wait
      this.backOff(group, error);
    }
  }

  private async runLockedPass(group: number, token: string): Promise<void> {
    const lock = this.startRenewing(group, token);
    const throwIfStopped = (): void => {
      if (lock.isLost || this.isClosing) throw new PassStoppedError();
    };
    try {
      const readUpTo = await this.moveEntries(listShardsOfGroup(group), throwIfStopped);
      // Replicas add jobs only for outboxes that were empty, so the worker itself has to schedule the rest.
      if (await this.outbox.hasMore(readUpTo)) this.scheduler.schedule(group);
    } finally {
      await lock.release();
    }
  }

  /** Renews the lock of a group, which `token` holds, until it is released. */
  private startRenewing(group: number, token: string): RenewedLock {
    const renew = async (): Promise<void> => {
      // `lock` extends the lock if `token` still holds it.
      const isStillHeld = await this.outbox.lock(group, token, LOCK_MS);
      if (!isStillHeld) lock.isLost = true;
    };
    const timer = setInterval(() => {
      renew().catch(() => undefined); // if Redis is unavailable, the next command of the pass fails as well and ends it
    }, RENEW_LOCK_EVERY_MS);
    const lock: RenewedLock = {
      isLost: false,
      release: async () => {
        clearInterval(timer);
        await this.outbox.unlock(group, token).catch(() => undefined); // the lock expires by itself
      },
    };
    return lock;
  }

  /** Moves all entries of the shards, page by page. @returns the last outbox id read of each shard. */
  private async moveEntries(shards: readonly number[], throwIfStopped: () => void): Promise<OutboxPositions> {
    const pass = this.heldChats.beginPass(shards, performance.now());
    let unread = pass.starts;
    while (unread.size > 0) {
      const { entries, nextPositions } = await this.readPages(unread);
      await this.writer.write(entries, pass, throwIfStopped);
      pass.markRead(entries);
      unread = nextPositions;
    }
    return pass.end();
  }

  /**
   * Reads a page of each outbox. Entries may be large, so a failed read is repeated with smaller pages. Their size then
   * grows again slowly.
   * @returns the entries of all pages, and the ends of the full pages, after which there may be more entries.
   */
  private async readPages(
    positions: OutboxPositions,
  ): Promise<{ entries: OutboxEntry[]; nextPositions: OutboxPositions }> {
    const { pageSize } = this; // passes over other groups may change it during the read
    let pages: OutboxPage[];
    try {
      pages = await this.outbox.read(positions, pageSize);
    } catch (error) {
      if (pageSize === MIN_PAGE_SIZE) throw error;
      this.pageSize = Math.max(MIN_PAGE_SIZE, Math.floor(pageSize / 4));
      return this.readPages(positions);
    }
    this.pageSize = Math.min(MAX_PAGE_SIZE, pageSize + MIN_PAGE_SIZE);
    const nextPositions = new Map<number, string>();
    for (const { shard, entries } of pages) {
      const lastEntry = entries.at(-1);
      if (lastEntry && entries.length === pageSize) nextPositions.set(shard, lastEntry.outboxId);
    }
    return { entries: pages.flatMap(({ entries }) => entries), nextPositions };
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

  private endFailure(group: number): void {
    const hadFailed = this.failedGroups.delete(group);
    if (hadFailed) this.logger.log(`Shard group ${group} is persisted again`);
  }
}

/** The SQLSTATE of an error of PostgreSQL, whose message may quote the text of a chat; otherwise the message. */
const describeStoreError = (error: unknown): string => findSqlState(error) ?? readErrorMessage(error);
