import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Worker } from 'bullmq';
import { ENVIRONMENT, type Environment } from '../../config/environment';
import { JobHandlers } from './job-handlers';
import { QUEUE_NAME } from './job-names';
import { queueConnection } from './queue-connection';

/** Takes jobs from the queue. Locks are short, so that a killed worker costs seconds and not half a minute. */
@Injectable()
export class JobWorker implements OnApplicationBootstrap {
  private readonly logger = new Logger(JobWorker.name);
  private readonly worker: Worker;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly handlers: JobHandlers,
  ) {
    this.worker = new Worker(QUEUE_NAME, async ({ name, data }) => this.handlers.run(name, data), {
      connection: queueConnection(environment.REDIS_URL, { isProducer: false }),
      autorun: false,
      concurrency: 8,
      lockDuration: 5_000,
      stalledInterval: 2_000,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.worker.on('error', (error) => this.logger.warn(`The queue is away: ${error.message}`));
    this.worker.on('failed', (job, error) =>
      this.logger.error(`Job ${job?.name ?? 'unknown'} failed: ${error.message}`),
    );
  }

  get isRunning(): boolean {
    return this.worker.isRunning() && !this.worker.isPaused();
  }

  onApplicationBootstrap(): void {
    this.handlers.requireAll();
    this.worker.run().catch((error: unknown) => {
      this.logger.error(error instanceof Error ? (error.stack ?? error.message) : 'The worker stopped');
    });
  }

  /** Waits for the jobs in hand, then takes no more. */
  async close(): Promise<void> {
    await this.worker.close();
  }
}
