import { Global, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HealthCheckRegistry } from '../health/health-check.registry';
import { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';
import { MetricsRegistry } from '../observability/metrics.registry';
import { JobHandlerRegistry } from './job-handler.registry';
import { JobQueueService } from './job-queue.service';
import { JobWorkerService } from './job-worker.service';

/** The worker's side of the queue: the handlers, and the service that takes jobs. */
@Global()
@Module({
  providers: [JobHandlerRegistry, JobWorkerService],
  exports: [JobHandlerRegistry, JobWorkerService],
})
export class WorkerQueueModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly health: HealthCheckRegistry,
    private readonly gracefulShutdown: GracefulShutdownService,
    private readonly metrics: MetricsRegistry,
    private readonly worker: JobWorkerService,
    private readonly jobs: JobQueueService,
  ) {}

  onModuleInit(): void {
    this.health.register('jobs', async () => this.worker.isRunning);
    this.gracefulShutdown.register('workers', 'jobs', () => this.worker.close());
    this.metrics.addLiveGaugesFromOneReading(
      {
        thaw_jobs_waiting: { help: 'Jobs that are waiting', read: ({ waiting }) => waiting ?? 0 },
        thaw_jobs_active: { help: 'Jobs that are active', read: ({ active }) => active ?? 0 },
        thaw_jobs_delayed: { help: 'Jobs that are delayed', read: ({ delayed }) => delayed ?? 0 },
        thaw_jobs_failed: { help: 'Jobs that have failed', read: ({ failed }) => failed ?? 0 },
      },
      () => this.jobs.countJobs(),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.removeSchedulesOfFormerJobs();
  }
}
