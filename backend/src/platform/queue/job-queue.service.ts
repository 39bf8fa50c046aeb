import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type JobsOptions, Queue } from 'bullmq';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { formerJobNames, type JobData, type JobName, QUEUE_NAME } from './job-name.registry';
import { connectQueue, waitForFirstConnectionAttempt } from '../redis/redis-connection.factory';
import { jobsPrefix } from '../redis/redis.keys';

/**
 * Adds jobs to the queue: once, or by a schedule. A failed job is not retried, because its work is soon repeated. For a
 * scheduled job, the next job of the schedule repeats it. For a job that is added once (to persist an outbox, or to
 * erase a user's data), the worker repeats it, because it checks regularly for unfinished work.
 */
@Injectable()
export class JobQueueService implements OnApplicationShutdown {
  private readonly connection: ReturnType<typeof connectQueue>;
  private readonly queue: Queue;
  /** Awaited before commands that may be sent during start-up: the connection rejects commands until it is open. */
  private readonly firstConnectionAttempt: Promise<void>;

  constructor(@Inject(ENVIRONMENT) environment: Environment) {
    this.connection = connectQueue(environment, { isProducer: true });
    this.firstConnectionAttempt = waitForFirstConnectionAttempt(this.connection);
    this.queue = new Queue(QUEUE_NAME, {
      connection: this.connection,
      // BullMQ would check the version of Redis once. If Redis were down then, BullMQ would reject all later calls.
      skipVersionCheck: true,
      prefix: jobsPrefix,
      // The last hundred failed jobs are kept for inspection.
      defaultJobOptions: { removeOnComplete: true, removeOnFail: 100, attempts: 1 },
    });
    // Without a listener, an error event would end the process. Callers learn about failures from their commands.
    this.queue.on('error', () => undefined);
  }

  /** Adds a job. @throws Error when Redis is unavailable. */
  async add<Name extends JobName>(name: Name, data: JobData[Name], options: JobsOptions = {}): Promise<void> {
    await this.firstConnectionAttempt;
    await this.queue.add(name, data, options);
  }

  /** Schedules a job to run every `everyMs`. Calls from several processes create only one schedule. */
  async schedule<Name extends JobName>(name: Name, data: JobData[Name], everyMs: number): Promise<void> {
    await this.firstConnectionAttempt;
    await this.queue.upsertJobScheduler(name, { every: everyMs }, { name, data });
  }

  /** Removes the schedules of former jobs: those of earlier releases that no longer exist. */
  async removeSchedulesOfFormerJobs(): Promise<void> {
    await this.firstConnectionAttempt;
    for (const name of formerJobNames) await this.queue.removeJobScheduler(name);
  }

  /** Counts the jobs by their state in BullMQ. */
  async countJobs(): Promise<Record<string, number>> {
    return this.queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
    this.connection.disconnect(); // BullMQ closes only connections that it has opened
  }
}
