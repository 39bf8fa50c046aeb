import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Worker } from 'bullmq';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { SchemaCheckService } from '../database/schema-check.service';
import { readErrorMessage } from '../observability/warn-about.functions';
import { JobHandlerRegistry } from './job-handler.registry';
import { QUEUE_NAME } from './job-name.registry';
import { connectQueue } from '../redis/redis-connection.factory';
import { jobsPrefix } from '../redis/redis.keys';

const SCHEMA_CHECK_EVERY_MS = 1_000;

/**
 * Takes jobs from the queue while PostgreSQL responds and has all migrations of this build. The locks on jobs are
 * short, so that the jobs of a killed worker are delayed by seconds, not by half a minute.
 */
@Injectable()
export class JobWorkerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(JobWorkerService.name);
  private readonly connection: ReturnType<typeof connectQueue>;
  private readonly worker: Worker;
  private schemaTimer: NodeJS.Timeout | undefined;
  private isChecking = false;
  private isClosing = false;
  /** Whether PostgreSQL is available with the schema of this build. */
  private isSchemaReady = false;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly handlers: JobHandlerRegistry,
    @Inject(SchemaCheckService) private readonly schema: Pick<SchemaCheckService, 'isReady'>,
  ) {
    this.connection = connectQueue(environment, { isProducer: false });
    this.worker = new Worker(QUEUE_NAME, async ({ name, data }) => this.run(name, data), {
      connection: this.connection,
      prefix: jobsPrefix,
      autorun: false,
      // Enough for the jobs of all four shard groups (a quarter of the random chats each) and for the periodic jobs.
      concurrency: 8,
      lockDuration: 5_000,
      stalledInterval: 2_000,
      // A job whose worker was killed is run again, however often that happens.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.worker.on('error', (error) =>
      this.logger.warn(`The job queue is unavailable: ${readErrorMessage(error)}`),
    );
    this.worker.on('failed', (job, error) =>
      this.logger.error(`Job ${job?.name ?? 'unknown'} failed: ${readErrorMessage(error)}`),
    );
  }

  /** Whether jobs may run: the schema is up to date and the process is not stopping. */
  get isReady(): boolean {
    return this.isSchemaReady && !this.isClosing;
  }

  /** Whether the worker takes jobs from the queue now. */
  get isRunning(): boolean {
    return this.worker.isRunning() && !this.worker.isPaused();
  }

  onApplicationBootstrap(): void {
    this.handlers.assertComplete();
    this.schemaTimer = setInterval(() => void this.checkSchema(), SCHEMA_CHECK_EVERY_MS);
    void this.checkSchema();
  }

  onApplicationShutdown(): void {
    clearInterval(this.schemaTimer);
  }

  /** Stops taking jobs and waits for the active ones. A step of the graceful shutdown. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.schemaTimer);
    await this.worker.close();
    this.connection.disconnect(); // BullMQ closes only connections that it has opened
  }

  /**
   * Drops the job if the schema is not ready: a fetch in progress may return a job after the worker was paused. No
   * work is lost: periodic jobs and the poll of the outboxes find it later.
   */
  private async run(name: string, data: unknown): Promise<void> {
    // Not `isReady`: jobs that are active when `close` is called still run.
    if (this.isSchemaReady) await this.handlers.run(name, data);
  }

  /** Starts or pauses the worker when the state of the schema has changed. */
  private async checkSchema(): Promise<void> {
    if (this.isChecking || this.isClosing) return;
    this.isChecking = true;
    try {
      const isSchemaReady = await this.schema.isReady().catch(() => false);
      if (isSchemaReady === this.isSchemaReady || this.isClosing) return;
      this.isSchemaReady = isSchemaReady;
      if (isSchemaReady) await this.start();
      else await this.pause();
    } catch (error) {
      this.logger.error(`The worker could not be started or paused: ${readErrorMessage(error)}`);
    } finally {
      this.isChecking = false;
    }
  }

  private async start(): Promise<void> {
    this.logger.log('Taking work');
    if (this.worker.isPaused()) return this.worker.resume();
    this.worker.run().catch((error: unknown) => {
      this.logger.error(error instanceof Error ? (error.stack ?? error.message) : 'The worker stopped');
    });
  }

  private async pause(): Promise<void> {
    this.logger.warn('Taking no work: PostgreSQL is unavailable, or its schema is older than this build');
    const doNotWaitForActiveJobs = true;
    await this.worker.pause(doNotWaitForActiveJobs);
  }
}
