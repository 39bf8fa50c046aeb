import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HotLog } from '../../../platform/hot-log/hot-log';
import { JobQueue } from '../../../platform/queue/job-queue';
import { laneOf } from '../../../platform/redis/redis-keys';

/** Long enough for a batch to gather, short against what anybody notices. */
const DELAY_MS = 500;

/** Wakes the worker for a lane when one of its outboxes begins to fill. */
@Injectable()
export class OutboxWaker implements OnModuleInit {
  private readonly logger = new Logger(OutboxWaker.name);

  constructor(
    private readonly hotLog: HotLog,
    private readonly jobs: JobQueue,
  ) {}

  onModuleInit(): void {
    this.hotLog.onOutboxFilled((cell) => {
      const lane = laneOf(cell);
      this.jobs
        .add(
          'persist_lane',
          { lane },
          { delay: DELAY_MS, deduplication: { id: `persist_lane_${lane}`, keepLastIfActive: true } },
        )
        // The scheduler looks at every outbox anyway: a lost wake-up costs two seconds.
        .catch((error: unknown) =>
          this.logger.warn(
            `No wake-up for lane ${lane}: ${error instanceof Error ? error.message : 'unknown'}`,
          ),
        );
    });
  }
}
