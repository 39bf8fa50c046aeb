import { Global, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HealthChecks } from '../health/health-checks';
import { GracefulStop } from '../lifecycle/graceful-stop';
import { Metrics } from '../observability/metrics';
import { JobHandlers } from './job-handlers';
import { JobQueue } from './job-queue';
import { JobWorker } from './job-worker';

/** The queue as a worker has it: with handlers, and the worker that takes jobs. */
@Global()
@Module({ providers: [JobHandlers, JobWorker], exports: [JobHandlers, JobWorker] })
export class WorkerQueueModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly health: HealthChecks,
    private readonly gracefulStop: GracefulStop,
    private readonly metrics: Metrics,
    private readonly worker: JobWorker,
    private readonly jobs: JobQueue,
  ) {}

  onModuleInit(): void {
    this.health.register('jobs', async () => this.worker.isRunning);
    this.gracefulStop.register('workers', 'jobs', () => this.worker.close());
    this.metrics.gauges(
      {
        thaw_jobs_waiting: { help: 'Jobs that are waiting', read: ({ waiting }) => waiting ?? 0 },
        thaw_jobs_active: { help: 'Jobs that are active', read: ({ active }) => active ?? 0 },
        thaw_jobs_delayed: { help: 'Jobs that are delayed', read: ({ delayed }) => delayed ?? 0 },
        thaw_jobs_failed: { help: 'Jobs that are failed', read: ({ failed }) => failed ?? 0 },
      },
      () => this.jobs.counts(),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.dropFormerSchedules();
  }
}
