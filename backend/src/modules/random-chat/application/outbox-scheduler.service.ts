import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { findShardGroup } from '../../../platform/redis/redis.keys';

/** Delay of a job: long enough to gather a batch, too short for a user to notice it in the chat history. */
export const BATCH_WINDOW_MS = 750;

/**
 * Schedules the job that writes outboxes to PostgreSQL. Each of the 64 shards of the chats has an outbox in Redis with
 * the events that are not in PostgreSQL yet. A job handles the outboxes of one shard group (16 shards), and is added
 * shortly after an empty outbox of the group receives an entry.
 */
@Injectable()
export class OutboxSchedulerService {
  /** Shard groups whose job will be added. The job also handles outboxes of the group that are filled until then. */
  private readonly scheduledGroups = new Set<number>();
  private readonly logger = new Logger(OutboxSchedulerService.name);

  constructor(private readonly jobs: JobQueueService) {}

  @OnProcessEvent('OutboxFilled')
  scheduleShard({ shard }: ProcessEventMap['OutboxFilled']): void {
    this.schedule(findShardGroup(shard));
  }

  /** Adds the job of a shard group after the delay, unless it is scheduled already. */
  schedule(group: number): void {
    if (this.scheduledGroups.has(group)) return;
    this.scheduledGroups.add(group);
    // If this process dies during the delay, the worker's poll finds the outbox within two seconds.
    setTimeout(() => {
      this.scheduledGroups.delete(group);
      void this.enqueue(group);
    }, BATCH_WINDOW_MS).unref();
  }

  private async enqueue(group: number): Promise<void> {
    try {
      // `keepLastIfActive`: a job that is added while the job of the group is running runs after it.
      const deduplication = { id: `persist_lane_${group}`, keepLastIfActive: true };
      // eslint-disable-next-line plain-words/identifiers -- the stored name (docs/stored-names.md)
      await this.jobs.add('persist_lane', { lane: group }, { deduplication });
    } catch (error) {
      logWarning(this.logger, `No job was added for shard group ${group}`, error);
    }
  }
}
