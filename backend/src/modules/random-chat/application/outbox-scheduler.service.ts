import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { findShardGroup, SHARD_GROUP_COUNT } from '../../../platform/redis/redis.keys';

/** Time between two jobs of a shard group: enough to gather a batch, too short to be noticed in the chat history. */
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

  @OnProcessEvent('OutboxBecameNonEmpty')
  scheduleShard({ shard }: ProcessEventMap['OutboxBecameNonEmpty']): void {
    this.schedule(findShardGroup(shard));
  }

  /** Adds the job of a shard group after `findDelayMs`, unless it is scheduled already. */
  schedule(group: number): void {
    if (this.scheduledGroups.has(group)) return;
    this.scheduledGroups.add(group);
    // If this process dies before the timer fires, the worker's poll finds the outbox within two seconds.
    setTimeout(() => {
      this.scheduledGroups.delete(group);
      void this.enqueue(group);
    }, findDelayMs(group)).unref();
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

/**
 * Time until the next turn of a shard group. In every batch window, each group has one turn, and the turns are evenly
 * spaced by the clock. So all replicas choose the same time for a group, and the transactions of the groups do not run
 * at once, which would delay messages on a machine with few cores (docs/decisions/0081).
 */
const findDelayMs = (group: number): number => {
  const offsetMs = Math.floor((group * BATCH_WINDOW_MS) / SHARD_GROUP_COUNT);
  const sinceLastTurnMs = (Date.now() + offsetMs) % BATCH_WINDOW_MS;
  // Plus one millisecond: if a timer fired slightly before its turn, the next delay would end at that same turn.
  return BATCH_WINDOW_MS - sinceLastTurnMs + 1;
};
