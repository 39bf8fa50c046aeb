import { Injectable, Logger } from '@nestjs/common';
import { warnAbout } from '../../../platform/observability/warn-about';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorators';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map';
import { JobQueue } from '../../../platform/queue/job-queue';
import { laneOf } from '../../../platform/redis/redis-keys';

/** Long enough for a batch to gather, short against what anybody notices. */
export const GATHER_MS = 750;

/** Wakes a worker for a lane, in a moment: when one of its outboxes begins to fill, or has filled again meanwhile. */
@Injectable()
export class OutboxWaker {
  /** Lanes that will be woken in a moment; what fills their outboxes meanwhile needs no word of its own. */
  private readonly waking = new Set<number>();
  private readonly logger = new Logger(OutboxWaker.name);

  constructor(private readonly jobs: JobQueue) {}

  @OnProcessEvent('OutboxFilled')
  wakeForShard({ shard }: ProcessEventMap['OutboxFilled']): void {
    this.wakeSoon(laneOf(shard));
  }

  wakeSoon(lane: number): void {
    if (this.waking.has(lane)) return;
    this.waking.add(lane);
    // Should this process die meanwhile, the scheduler finds the outbox: that costs two seconds.
    setTimeout(() => {
      this.waking.delete(lane);
      void this.wake(lane);
    }, GATHER_MS).unref();
  }

  private async wake(lane: number): Promise<void> {
    try {
      const deduplication = { id: `persist_lane_${lane}`, keepLastIfActive: true };
      await this.jobs.add('persist_lane', { lane }, { deduplication });
    } catch (error) {
      warnAbout(this.logger, `No wake-up for lane ${lane}`, error);
    }
  }
}
