import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { logRejections, logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { StandingsService } from '../../standings/application/standings.service';
import { MatchQueueService, type QueueRecord } from './match-queue.service';
import { MatchmakingService } from './matchmaking.service';
import { QueueStatusService } from './queue-status.service';
import { choosePool, maySearch } from './search-criteria.functions';
import { type WaitingUser, WaitingUserRegistry } from './waiting-user.registry';

/** Interval of the checks. The queue status is sent after each of them. */
const CHECK_EVERY_MS = limits.queueStatusIntervalMs;
/** Number of users whose records are read and repaired concurrently. */
const CHECK_PAGE_SIZE = 200;

/**
 * Checks the waiting users of this replica every ten seconds, and whenever Redis may have lost their records. A check
 * finds what this replica has missed:
 * - Redis has lost the user's record, or their entry in the queue.
 * - The search was ended on another replica.
 * - The chat has started, but its announcement was lost.
 * - The user's standing (what moderation allows them) has changed, but the process that changed it died before it
 *   announced the change.
 */
@Injectable()
export class WaitingUserCheckService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(WaitingUserCheckService.name);
  private timer: NodeJS.Timeout | undefined;
  /** Resolves after the last requested check. The next check starts then. */
  private lastCheck: Promise<void> = Promise.resolve();
  private isTimedCheckRunning = false;

  constructor(
    private readonly waitingUsers: WaitingUserRegistry,
    private readonly matchmaking: MatchmakingService,
    private readonly queue: MatchQueueService,
    private readonly queueStatus: QueueStatusService,
    private readonly standings: StandingsService,
    private readonly events: ProcessEventsService,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.checkAndSendStatus(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async checkAndSendStatus(): Promise<void> {
    if (this.isTimedCheckRunning) return;
    this.isTimedCheckRunning = true;
    await this.checkRecords();
    await this.queueStatus.send();
    this.isTimedCheckRunning = false;
  }

  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async restoreRecords(): Promise<void> {
    this.waitingUsers.expireExclusions(); // a message that they changed may have been lost
    await this.checkRecords({ isAfterLoss: true });
  }

  /**
   * Compares the waiting users with their records in Redis: each has to be in the queue or in a chat. One check runs at
   * a time; a check that is requested during another one runs after it. Never rejects.
   * @param isAfterLoss whether Redis may have lost records, so that missing ones have to be restored.
   */
  checkRecords({ isAfterLoss } = { isAfterLoss: false }): Promise<void> {
    this.lastCheck = this.lastCheck.then(() => this.checkAll(isAfterLoss));
    return this.lastCheck;
  }

  private async checkAll(isAfterLoss: boolean): Promise<void> {
    const userIds = this.waitingUsers.listIds();
    for (let start = 0; start < userIds.length; start += CHECK_PAGE_SIZE) {
      const page = userIds.slice(start, start + CHECK_PAGE_SIZE);
      try {
        const records = await this.queue.readRecords(page);
        await this.checkStandings(page, records);
        const results = await Promise.allSettled(
          page.map((userId, index) => this.checkUser(userId, records[index] ?? null, isAfterLoss)),
        );
        logRejections(this.logger, 'Users in the queue were not checked', results);
      } catch (error) {
        logWarning(this.logger, 'Records were not compared', error);
        return; // Redis is unreachable
      }
    }
  }

  /** Applies standings that changed in a process that died before it could announce them. */
  private async checkStandings(
    userIds: readonly number[],
    records: readonly (QueueRecord | null)[],
  ): Promise<void> {
    try {
      const standings = await this.standings.findMany(userIds);
      for (const [index, userId] of userIds.entries()) {
        const [record, standing] = [records[index], standings.get(userId)];
        if (record?.state !== 'searching' || !standing) continue;
        if (!maySearch(standing) || choosePool(standing) !== record.pool)
          await this.matchmaking.applyStanding({ userId, standing });
      }
    } catch (error) {
      logWarning(this.logger, 'Standings of searching users were not checked', error);
    }
  }

  private async checkUser(userId: number, record: QueueRecord | null, isAfterLoss: boolean): Promise<void> {
    const user = this.waitingUsers.find(userId);
    if (!user) return; // no longer waiting since the check began
    if (!record) {
      await this.handleMissingRecord(userId, user, isAfterLoss);
    } else if (record.state === 'searching') {
      // Redis may have lost the user's entry in the queue, which this restores.
      await this.matchmaking.resume(userId);
    } else if (record.state === 'chatting' && record.sessionId) {
      // The announcement of the chat has not reached this replica.
      this.events.publish('ChatStarted', { userId, sessionId: record.sessionId });
    }
    // A claimed user stays tracked until the chat starts or the claim expires.
  }

  /**
   * After a loss, starts the search again. Otherwise the search was probably ended on another replica, so the user is
   * no longer tracked. But a loss is noticed with some delay, and the user has to be tracked until then. That is why
   * only a second check without a record stops the tracking.
   */
  private async handleMissingRecord(userId: number, user: WaitingUser, isAfterLoss: boolean): Promise<void> {
    if (isAfterLoss) await this.matchmaking.join(userId, user.criteria);
    else if (user.hadNoRecord) this.waitingUsers.untrack(userId);
    else user.hadNoRecord = true;
  }
}
