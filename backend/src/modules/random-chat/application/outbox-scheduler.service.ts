import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { findShardGroup } from '../../../platform/redis/redis.keys';

/** Delay of a job in ms: long enough to gather a batch, too short for a user to notice in the chat history. */
export const BATCH_WINDOW_MS = 750;

/**
 * When an empty outbox receives an entry, adds, after a delay, the job that writes the outboxes of its shard group to
 * PostgreSQL.
 */
@Injectable()
export class OutboxSchedulerService {
  /** Shard groups whose job is about to be added; outboxes that fill until then need no job of their own. */
  private readonly scheduled = new Set<number>();
  private readonly logger = new Logger(OutboxSchedulerService.name);

  constructor(private readonly jobs: JobQueueService) {}

  @OnProcessEvent('OutboxFilled')
  scheduleShard({ shard }: ProcessEventMap['OutboxFilled']): void {
    this.schedule(findShardGroup(shard));
  }

  schedule(group: number): void {
    if (this.scheduled.has(group)) return;
    this.scheduled.add(group);
    // If this process dies meanwhile, the worker's poll finds the outbox within two seconds.
    setTimeout(() => {
      this.scheduled.delete(group);
      void this.enqueue(group);
    }, BATCH_WINDOW_MS).unref();
  }

  private async enqueue(group: number): Promise<void> {
    try {
      // `keepLastIfActive`: a job that is added while one runs makes it run once more.
      const deduplication = { id: `persist_lane_${group}`, keepLastIfActive: true };
      // eslint-disable-next-line plain-words/identifiers -- the stored name (docs/stored-names.md)
      await this.jobs.add('persist_lane', { lane: group }, { deduplication });
    } catch (error) {
      logWarning(this.logger, `No job was added for shard group ${group}`, error);
    }
  }
}
