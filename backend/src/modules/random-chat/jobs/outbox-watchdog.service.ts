import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Backlog, OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { JobWorkerService } from '../../../platform/queue/job-worker.service';
import { HeldChatRegistry } from './held-chat.registry';
import { OutboxProcessor } from './outbox.processor';

const CHECK_EVERY_MS = 5_000;
/** How long an event may wait in an outbox while this worker makes no progress. */
const STUCK_AFTER_MS = 20_000;

/**
 * Exits the process of a stuck worker, so that it is restarted, and exports the metrics of the outboxes.
 *
 * The worker copies events from the outboxes in Redis to PostgreSQL. It is stuck if an event has waited for 20 s and
 * the worker, although healthy, has made no progress in these 20 s (`OutboxProcessor.progressedAt`). Events of held
 * chats do not count: a chat is held while its next event cannot be written.
 */
@Injectable()
export class OutboxWatchdogService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(OutboxWatchdogService.name);
  private timer: NodeJS.Timeout | undefined;
  /**
   * Since when (monotonic, ms) the worker has been able to make progress: both stores are reachable, the job worker is
   * ready, and the process is not suspended. A check that finds otherwise resets it.
   */
  private healthySince: number | undefined;
  /** Time of the last check (monotonic, ms). */
  private checkedAt = performance.now();

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly processor: OutboxProcessor,
    private readonly heldChats: HeldChatRegistry,
    private readonly jobWorker: JobWorkerService,
    private readonly dataSource: DataSource,
    private readonly metrics: MetricsRegistry,
  ) {}

  onModuleInit(): void {
    this.metrics.addLiveGauge(
      'thaw_held_chats',
      'Chats whose next event cannot be written to PostgreSQL',
      () => this.heldChats.size,
    );
    this.metrics.addLiveGaugesFromOneReading(
      {
        thaw_outbox_entries: {
          help: 'Events that wait to be written to PostgreSQL',
          read: ({ length }) => length,
        },
        thaw_outbox_age_seconds: {
          help: 'Age of the oldest event that waits to be written to PostgreSQL, except events of held chats',
          read: ({ ageMs }) => ageMs / 1_000,
        },
        thaw_outbox_fill_ratio: {
          help: 'Fill of the fullest outbox; at 1, messages are refused as unavailable',
          read: ({ fillRatio }) => fillRatio,
        },
        thaw_dead_letters: { help: 'Events that PostgreSQL refuses', read: ({ deadLetters }) => deadLetters },
      },
      () => this.measureBacklog(),
    );
    this.timer = setInterval(() => void this.exitIfStuck(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The age of the backlog is that of its oldest event which is not of a held chat. */
  private measureBacklog(): Promise<Backlog> {
    return this.outbox.measureBacklog(this.heldChats.heldUpTo);
  }

  private async exitIfStuck(): Promise<void> {
    if (!(await this.isStuck())) return;
    this.logger.error('Events wait without progress; this process exits, so that the worker is restarted');
    process.exit(1);
  }

  private async isStuck(): Promise<boolean> {
    const now = performance.now();
    // After a suspension of the process or the machine, the 20 s start again.
    const wasSuspended = now - this.checkedAt > 2 * CHECK_EVERY_MS;
    this.checkedAt = now;
    const ageMs = await this.findAgeIfReachable();
    // A job worker that is not ready runs no jobs: the schema is not up to date yet, or the process is stopping.
    if (ageMs === undefined || wasSuspended || !this.jobWorker.isReady) this.healthySince = undefined;
    if (ageMs === undefined) return false; // no worker can make progress, so a restart would not help
    this.healthySince ??= now;
    const idleSince = Math.max(this.healthySince, this.processor.progressedAt);
    return now - idleSince >= STUCK_AFTER_MS && ageMs >= STUCK_AFTER_MS;
  }

  /** @returns the age of the backlog in ms; undefined if PostgreSQL or Redis is not reachable. */
  private async findAgeIfReachable(): Promise<number | undefined> {
    try {
      await this.dataSource.query('SELECT 1');
      const { ageMs } = await this.measureBacklog();
      return ageMs;
    } catch {
      return undefined;
    }
  }
}
