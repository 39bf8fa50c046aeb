import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Backlog, OutboxRepository } from '../../../platform/hot-log/outbox.repository';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { JobWorkerService } from '../../../platform/queue/job-worker.service';
import { HeldChatRegistry } from './held-chat.registry';
import { OutboxProcessor } from './outbox.processor';

const CHECK_EVERY_MS = 5_000;
/** How long an event may wait while this worker reports no progress. */
const STUCK_AFTER_MS = 20_000;

/**
 * Exits the process of a stuck worker, so that it is restarted. The worker writes the outboxes in Redis to PostgreSQL.
 * It is stuck when both stores have been reachable and an event has waited for 20 s without progress. The end of a pass
 * over the outboxes is progress, and so is an error from PostgreSQL, because a restart would not help
 * (`OutboxProcessor.progressedAt`). Events of held chats, whose next event cannot be written, do not count. Also
 * exports the metrics of the outboxes.
 */
@Injectable()
export class OutboxWatchdogService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(OutboxWatchdogService.name);
  private timer: NodeJS.Timeout | undefined;
  /**
   * Start (monotonic, ms) of the period in which both stores have been reachable, the job worker ready, and the process
   * not suspended.
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
    this.metrics.addGauge(
      'thaw_held_chats',
      'Chats whose next event cannot be written to PostgreSQL',
      () => this.heldChats.size,
    );
    this.metrics.addGaugesFromOneReading(
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

  /** Measures the backlog. Its age excludes the entries up to `heldUpTo`, which are all of held chats. */
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
    let ageMs: number;
    try {
      await this.dataSource.query('SELECT 1');
      ({ ageMs } = await this.measureBacklog());
    } catch {
      this.healthySince = undefined; // no worker can make progress, so a restart would not help
      return false;
    }
    // A job worker that is not ready runs no jobs: the schema is not up to date yet, or the process is stopping.
    if (wasSuspended || !this.jobWorker.isReady) this.healthySince = undefined;
    this.healthySince ??= now;
    const idleMs = now - Math.max(this.healthySince, this.processor.progressedAt);
    return idleMs >= STUCK_AFTER_MS && ageMs >= STUCK_AFTER_MS;
  }
}
