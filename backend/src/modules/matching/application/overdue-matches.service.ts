import { Injectable, Logger } from '@nestjs/common';
import { logWarning, logRejections } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { MatchQueueService } from './match-queue.service';

/** Number of replicas that poll Redis for overdue claims and chats. With more, most polls would find nothing. */
const SETTLING_REPLICAS = 4;

/**
 * About once a second, delivers `ClaimExpired` for expired claims (matches whose chat was not confirmed in time), and
 * `ChatCheckDue` for chats that are due for a check, in case they have ended and their users were not freed.
 */
@Injectable()
export class OverdueMatchesService {
  private readonly logger = new Logger(OverdueMatchesService.name);
  private isSettling = false;

  constructor(
    private readonly queue: MatchQueueService,
    private readonly lease: ReplicaLeaseService,
    private readonly events: ProcessEventsService,
  ) {}

  @OnProcessEvent('LeaseRenewed')
  async settle(): Promise<void> {
    // `getAssignedParts` divides work among the replicas. Here it only selects the replicas that poll: each of them
    // polls for all overdue claims and chats.
    const isSettlingReplica = this.lease.getAssignedParts(SETTLING_REPLICAS).length > 0;
    if (this.isSettling || !isSettlingReplica) return;
    this.isSettling = true;
    try {
      const [claims, chats] = await Promise.all([
        this.queue.takeOverdueClaims(),
        this.queue.takeChatsDueForCheck(),
      ]);
      const settled = await Promise.allSettled([
        ...claims.map((claim) => this.events.deliver('ClaimExpired', claim)),
        ...chats.map((chat) => this.events.deliver('ChatCheckDue', chat)),
      ]);
      logRejections(this.logger, 'Overdue matches were not settled', settled);
    } catch (error) {
      logWarning(this.logger, 'Overdue matches were not settled', error);
    } finally {
      this.isSettling = false;
    }
  }
}
