import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { HealthChecks } from '../health/health-checks';
import { GracefulStop } from '../lifecycle/graceful-stop';
import { Metrics } from '../observability/metrics';
import { JobHandlers } from './job-handlers';
import { JobQueue } from './job-queue';
import { JobWorker } from './job-worker';

/** The queue as a worker has it: with handlers, and somebody who takes jobs. */
@Global()
@Module({ providers: [JobHandlers, JobWorker], exports: [JobHandlers, JobWorker] })
export class WorkerQueueModule implements OnModuleInit {
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
    for (const state of ['waiting', 'active', 'delayed', 'failed'] as const) {
      this.metrics.gauge(
        `thaw_jobs_${state}`,
        `Jobs that are ${state}`,
        async () => (await this.jobs.counts())[state] ?? 0,
      );
    }
  }
}
