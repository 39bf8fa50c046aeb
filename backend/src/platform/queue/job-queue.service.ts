import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type JobsOptions, Queue } from 'bullmq';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { formerJobNames, type JobData, type JobName, QUEUE_NAME } from './job-name.registry';
import { connectQueue, waitForFirstAttempt } from '../redis/redis-connection.factory';
import { jobsPrefix } from '../redis/redis.keys';

/** Adds jobs to the queue. */
@Injectable()
export class JobQueueService implements OnApplicationShutdown {
  private readonly connection: ReturnType<typeof connectQueue>;
  private readonly queue: Queue;
  private readonly opened: Promise<void>;

  constructor(@Inject(ENVIRONMENT) environment: Environment) {
    this.connection = connectQueue(environment, { isProducer: true });
    this.opened = waitForFirstAttempt(this.connection);
    this.queue = new Queue(QUEUE_NAME, {
      connection: this.connection,
      // The check asks once, as soon as it is connected. If that fails, BullMQ rejects all calls of this process.
      skipVersionCheck: true,
      prefix: jobsPrefix,
      // The last hundred failed jobs are kept for inspection. Jobs are not retried, because each is added again soon.
      defaultJobOptions: { removeOnComplete: true, removeOnFail: 100, attempts: 1 },
    });
    // Without a listener an error would end the process. `add` rejects by itself, and ioredis reconnects.
    this.queue.on('error', () => undefined);
  }

  async add<Name extends JobName>(name: Name, data: JobData[Name], options: JobsOptions = {}): Promise<void> {
    await this.opened;
    await this.queue.add(name, data, options);
  }

  /** Runs a job every `everyMs`. Calls from several processes create one schedule. */
  async schedule<Name extends JobName>(name: Name, data: JobData[Name], everyMs: number): Promise<void> {
    await this.opened;
    await this.queue.upsertJobScheduler(name, { every: everyMs }, { name, data });
  }

  /** Removes the schedules of jobs that only earlier releases have. */
  async dropFormerSchedules(): Promise<void> {
    await this.opened;
    for (const name of formerJobNames) await this.queue.removeJobScheduler(name);
  }

  async countJobs(): Promise<Record<string, number>> {
    return this.queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
    this.connection.disconnect(); // BullMQ closes only connections that it has opened
  }
}
