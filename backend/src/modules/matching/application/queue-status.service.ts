import { Injectable, Logger } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { MatchQueueService } from './match-queue.service';
import { hasCandidate } from './search-criteria.functions';
import { WaitingUserRegistry } from './waiting-user.registry';

/** Sends the frame `queue_status` to users who have been searching for some time. */
@Injectable()
export class QueueStatusService {
  private readonly logger = new Logger(QueueStatusService.name);

  constructor(
    private readonly waitingUsers: WaitingUserRegistry,
    private readonly queue: MatchQueueService,
    private readonly socketRegistry: SocketRegistry,
  ) {}

  /**
   * Sends users who have searched for ten seconds or longer how long they have waited, and whether a compatible user is
   * searching. Never rejects.
   */
  async send(): Promise<void> {
    const now = Date.now();
    const longWaitingUsers = this.waitingUsers.list().flatMap(([userId, { criteria, since }]) => {
      const waitedMs = since ? now - since.getTime() : 0;
      return waitedMs >= limits.queueStatusIntervalMs ? [{ userId, criteria, waitedMs }] : [];
    });
    if (longWaitingUsers.length === 0) return;
    try {
      const counts = await this.queue.countWaiting();
      for (const { userId, criteria, waitedMs } of longWaitingUsers) {
        const status = { waitedMs, anyoneMatches: hasCandidate(criteria, counts) };
        for (const connection of this.socketRegistry.iterateAuthenticatedSockets(userId))
          connection.sendFrame('queue_status', status);
      }
    } catch (error) {
      logWarning(this.logger, 'The queue status was not sent', error);
    }
  }
}
