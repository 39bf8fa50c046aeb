import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { warnAbout, warnAboutFailed } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import {
  hasCandidate,
  type LeaveResult,
  MatchQueueService,
  type MatchState,
  type QueueRecord,
  type SearchCriteria,
} from './match-queue.service';

const CHECK_EVERY_MS = limits.queueStatusEveryMs;
/** Users whose records are compared and repaired at once. */
const CHECK_PAGE_SIZE = 200;
/** Replicas that settle overdue claims and chats; more would only poll more often. */
const SETTLING_REPLICAS = 4;
/** A retry is due a moment after the cool-down may be ignored, not in the same millisecond. */
const RETRY_SLACK_MS = 50;

interface Waiting {
  criteria: SearchCriteria;
  /** Null once the user is matched and the chat is about to start. */
  since: Date | null;
  retry: NodeJS.Timeout | undefined;
  /** The record was missing at the last check. */
  isMissing?: true;
}

/**
 * The searching users with a socket on this replica. Retries where a cool-down blocked a match, compares the users'
 * records every ten seconds so that none is lost, and settles expired claims every second.
 */
@Injectable()
export class MatchmakingService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(MatchmakingService.name);
  private readonly waiting = new Map<number, Waiting>();
  private checkTimer: NodeJS.Timeout | undefined;
  private checks: Promise<void> = Promise.resolve();
  private isChecking = false;
  private isSettling = false;

  constructor(
    private readonly queue: MatchQueueService,
    private readonly registry: SocketRegistry,
    private readonly lease: ReplicaLeaseService,
    private readonly userPublisher: UserPublisherService,
    private readonly events: ProcessEventsService,
  ) {}

  onModuleInit(): void {
    this.checkTimer = setInterval(() => void this.checkAndSendStatus(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.checkTimer);
    for (const userId of [...this.waiting.keys()]) this.untrack(userId);
  }

  private async checkAndSendStatus(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    await this.check();
    await this.sendStatus();
    this.isChecking = false;
  }

  /** @param onPlaced called with the user's state before a chat starts, so that its frames are sent first. */
  async join(
    userId: number,
    { gender, preference }: SearchCriteria,
    onPlaced: (place: MatchState) => Promise<void> = async () => undefined,
  ): Promise<MatchState> {
    const place = await this.departOnFailure(userId, this.queue.join(userId, gender, preference));
    await onPlaced(place);
    if (place.kind === 'searching') void this.publishSearch(userId);
    return this.track(userId, place);
  }

  async resume(userId: number): Promise<MatchState> {
    return this.track(userId, await this.departOnFailure(userId, this.queue.resume(userId)));
  }

  async leave(userId: number): Promise<LeaveResult> {
    this.untrack(userId);
    return this.queue.leave(userId);
  }

  @OnProcessEvent('SocketClosed')
  async departWithLastSocket({ connection, closure }: ProcessEventMap['SocketClosed']): Promise<void> {
    if (closure.wasLastOfUser) await this.depart(connection.identity.userId);
  }

  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async checkAfterLoss(): Promise<void> {
    await this.check({ isAfterLoss: true });
  }

  /** Retries matching at once for a searching user. */
  async retryNow(userId: number): Promise<void> {
    const place = await this.queue.retry(userId);
    if (place.kind === 'matched') await this.events.deliver('MatchMade', place.match);
  }

  private async track(userId: number, place: MatchState): Promise<MatchState> {
    this.untrack(userId);
    if (place.kind === 'searching') {
      const { criteria, since, retryInMs } = place;
      const retry =
        retryInMs === null
          ? undefined
          : setTimeout(() => void this.retry(userId), retryInMs + RETRY_SLACK_MS);
      this.waiting.set(userId, { criteria, since, retry });
    } else if (place.kind === 'matched' || place.kind === 'claimed') {
      // Not in a chat yet: tracked until it has started.
      this.waiting.set(userId, { criteria: place.criteria, since: null, retry: undefined });
    }
    // The user's last socket may have closed during the call; no later event would then release their place.
    if (!this.registry.holds(userId)) await this.depart(userId);
    if (place.kind === 'matched') await this.events.deliver('MatchMade', place.match);
    return place;
  }

  /** The caller repeats a failed call while a socket of the user is here; Redis may have executed it already. */
  private async departOnFailure(userId: number, call: Promise<MatchState>): Promise<MatchState> {
    try {
      return await call;
    } catch (error) {
      if (!this.registry.holds(userId)) await this.depart(userId);
      throw error;
    }
  }

  private async depart(userId: number): Promise<void> {
    this.untrack(userId);
    await this.queue.depart(userId);
  }

  /** Lets other replicas that hold sockets of the user hold their place, too. */
  private async publishSearch(userId: number): Promise<void> {
    try {
      await this.userPublisher.publish(userId, { kind: 'searching' });
    } catch (error) {
      warnAbout(this.logger, 'A search was not published', error); // only this replica holds the place
    }
  }

  /** The user searches from another replica and has a socket here: holds the place in case that replica dies. */
  @OnProcessEvent('SearchStarted')
  async resumeSearch({ userId }: ProcessEventMap['SearchStarted']): Promise<void> {
    if (this.waiting.has(userId)) return;
    try {
      await this.resume(userId);
    } catch (error) {
      warnAbout(this.logger, 'A search was not joined', error);
    }
  }

  @OnProcessEvent('ChatStarted')
  untrackStarted({ userId }: ProcessEventMap['ChatStarted']): void {
    this.untrack(userId);
    this.queue.forget(userId);
  }

  private untrack(userId: number): void {
    clearTimeout(this.waiting.get(userId)?.retry);
    this.waiting.delete(userId);
  }

  private async retry(userId: number): Promise<void> {
    if (!this.waiting.has(userId)) return;
    try {
      await this.track(userId, await this.queue.retry(userId));
    } catch (error) {
      warnAbout(this.logger, 'A retry failed', error); // the next check of the records resumes the search
    }
  }

  /** Settles expired claims and frees the users of chats whose end was not recorded. Runs on a few replicas only. */
  @OnProcessEvent('LeaseRenewed')
  async settleOverdue(): Promise<void> {
    if (this.isSettling || this.lease.shareOf(SETTLING_REPLICAS).length === 0) return;
    this.isSettling = true;
    try {
      const [claims, chats] = await Promise.all([this.queue.overdueClaims(), this.queue.chatsDueForCheck()]);
      const settled = await Promise.allSettled([
        ...claims.map((match) => this.events.deliver('ClaimExpired', match)),
        ...chats.map((match) => this.events.deliver('ChatCheckDue', match)),
      ]);
      warnAboutFailed(this.logger, 'Overdue matches were not settled', settled);
    } catch (error) {
      warnAbout(this.logger, 'Overdue matches were not settled', error);
    } finally {
      this.isSettling = false;
    }
  }

  /**
   * Makes sure that a user who searches here is in the queue or in a chat. One check at a time; a check requested
   * meanwhile follows.
   * @param isAfterLoss whether Redis may have lost records, so that a missing one is restored. Otherwise a missing
   * record was removed by another replica; it has to be missing twice, because a loss is noticed a moment late.
   */
  check({ isAfterLoss } = { isAfterLoss: false }): Promise<void> {
    this.checks = this.checks.then(() => this.checkNow(isAfterLoss));
    return this.checks;
  }

  private async checkNow(isAfterLoss: boolean): Promise<void> {
    const userIds = [...this.waiting.keys()];
    for (let start = 0; start < userIds.length; start += CHECK_PAGE_SIZE) {
      const page = userIds.slice(start, start + CHECK_PAGE_SIZE);
      try {
        const records = await this.queue.records(page);
        const checked = page.map((userId, index) =>
          this.checkOne(userId, records[index] ?? null, isAfterLoss),
        );
        warnAboutFailed(
          this.logger,
          'Users in the queue were not checked',
          await Promise.allSettled(checked),
        );
      } catch (error) {
        warnAbout(this.logger, 'Records were not compared', error);
        return; // Redis is unreachable
      }
    }
  }

  private async checkOne(userId: number, record: QueueRecord | null, isAfterLoss: boolean): Promise<void> {
    const waiting = this.waiting.get(userId);
    if (!waiting) return;
    if (record?.state === 'chatting' && record.sessionId) {
      this.events.publish('ChatStarted', { userId, sessionId: record.sessionId });
    } else if (!record) {
      if (isAfterLoss) await this.join(userId, waiting.criteria);
      else if (waiting.isMissing) this.untrack(userId);
      else waiting.isMissing = true;
    } else if (record.state === 'searching') {
      await this.resume(userId);
    }
  }

  /** Sends searching users how long they have waited, and whether a compatible user is searching (B12). */
  private async sendStatus(): Promise<void> {
    const now = Date.now();
    const longWaiting = [...this.waiting].flatMap(([userId, { criteria, since }]) => {
      const waitedMs = since ? now - since.getTime() : 0;
      return waitedMs >= limits.queueStatusEveryMs ? [{ userId, criteria, waitedMs }] : [];
    });
    if (longWaiting.length === 0) return;
    try {
      const waiting = await this.queue.waiting();
      for (const { userId, criteria, waitedMs } of longWaiting) {
        const status = { waitedMs, anyoneMatches: hasCandidate(criteria, waiting) };
        for (const connection of this.registry.authenticated(userId))
          connection.sendFrame('queue_status', status);
      }
    } catch (error) {
      warnAbout(this.logger, 'The queue status was not sent', error);
    }
  }
}
