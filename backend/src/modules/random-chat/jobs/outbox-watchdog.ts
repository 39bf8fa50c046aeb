import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Outbox } from '../../../platform/hot-log/outbox';
import { Metrics } from '../../../platform/observability/metrics';
import { LanePersister } from './lane-persister';

const CHECK_EVERY_MS = 5_000;
/** An event that waits this long while nothing moves means that this worker hangs. */
const STUCK_AFTER_MS = 20_000;

/**
 * Ends a worker that hangs, so that it is started again: workers have been seen to take no jobs after an outage
 * of Redis while every health check said that they did.
 */
@Injectable()
export class OutboxWatchdog implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(OutboxWatchdog.name);
  private timer: NodeJS.Timeout | undefined;
  private readonly startedAt = Date.now();

  constructor(
    private readonly outbox: Outbox,
    private readonly persister: LanePersister,
    private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge('thaw_outbox_entries', 'Events on their way to PostgreSQL', async () => {
      return (await this.outbox.backlog()).length;
    });
    this.metrics.gauge('thaw_outbox_age_seconds', 'Age of the oldest of them', async () => {
      return (await this.outbox.backlog()).ageMs / 1_000;
    });
    this.timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    try {
      const { ageMs } = await this.outbox.backlog();
      const idleMs = Date.now() - Math.max(this.startedAt, this.persister.progressedAt);
      if (ageMs < STUCK_AFTER_MS || idleMs < STUCK_AFTER_MS) return;
      await this.dataSource.query('SELECT 1');
    } catch {
      return; // a store is away: nobody could make progress, and starting again would not help
    }
    this.logger.error('Events wait and nothing moves; this worker ends to be started again');
    process.exit(1);
  }
}
