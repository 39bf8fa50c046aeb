import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { logWarning, logRejections } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { MatchMetricsRegistry } from './match-metrics.registry';
import {
  type LeaveResult,
  MatchQueueService,
  type MatchState,
  type QueueRecord,
} from './match-queue.service';
import { hasCandidate, maySearch, choosePool, type SearchCriteria } from './search-criteria.functions';
import { StandingsService } from '../../standings/application/standings.service';
import { type Exclusions, SearchExclusionsService, UNKNOWN_EXCLUSIONS } from './search-exclusions.service';

/** Interval at which the users' records in Redis are checked and the queue status is then sent. */
const CHECK_EVERY_MS = limits.queueStatusIntervalMs;
/** Number of users whose records are read and repaired concurrently. */
const CHECK_PAGE_SIZE = 200;
/** Added to the delay of a retry, so that it never comes before the cool-down may be ignored. */
const RETRY_SLACK_MS = 50;

/** A user who is searching, or who is matched and waits for the chat to start. */
interface WaitingUser {
  criteria: SearchCriteria;
  /** When the search started; null once the user is matched. */
  since: Date | null;
  /** Set while a cool-down prevents a match. */
  retryTimer: NodeJS.Timeout | undefined;
  /** The users with whom a block forbids a match, as last read. */
  exclusions: Exclusions;
  /** Set if Redis had no record of the user at the last check. */
  hadNoRecord?: true;
}

/**
 * Runs the searches of users who have a socket on this replica, and tracks these users until their chats start. While a
 * user searches, each replica with a socket of the user holds the user's place in the queue: if no live replica holds
 * it, the user is not matched.
 *
 * When a cool-down (recent partners are not matched again for some time) has prevented a match, the service retries as
 * soon as the cool-down may be ignored. Every ten seconds it checks the users' records in Redis and their standings
 * (what moderation allows them): Redis may have lost a record, and a process may have died before it announced a new
 * standing.
 */
@Injectable()
export class MatchmakingService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(MatchmakingService.name);
  private readonly waitingUsers = new Map<number, WaitingUser>();
  private checkTimer: NodeJS.Timeout | undefined;
  /** Resolves after the last requested check. The next check starts then. */
  private lastCheck: Promise<void> = Promise.resolve();
  private isTimedCheckRunning = false;

  constructor(
    private readonly queue: MatchQueueService,
    private readonly registry: SocketRegistry,
    private readonly userPublisher: UserPublisherService,
    private readonly events: ProcessEventsService,
    private readonly searchExclusions: SearchExclusionsService,
    private readonly standings: StandingsService,
    private readonly metrics: MatchMetricsRegistry,
  ) {}

  onModuleInit(): void {
    this.checkTimer = setInterval(() => void this.checkAndSendStatus(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.checkTimer);
    for (const userId of [...this.waitingUsers.keys()]) this.untrack(userId);
  }

  private async checkAndSendStatus(): Promise<void> {
    if (this.isTimedCheckRunning) return;
    this.isTimedCheckRunning = true;
    await this.checkRecords();
    await this.sendStatus();
    this.isTimedCheckRunning = false;
  }

  /**
   * Starts a search, or changes the criteria of the current one.
   * @param onStateKnown called with the resulting state before a chat starts, so that the callback can send frames that
   * precede those of the chat.
   */
  async join(
    userId: number,
    { gender, preference, pool }: SearchCriteria,
    onStateKnown: (state: MatchState) => Promise<void> = async () => undefined,
  ): Promise<MatchState> {
    const exclusions = await this.searchExclusions.read(userId);
    const state = await this.departOnFailure(
      userId,
      this.queue.join(userId, gender, preference, exclusions.userIds, pool),
    );
    await onStateKnown(state);
    if (state.kind === 'searching') void this.publishSearch(userId);
    return this.track(userId, state, exclusions);
  }

  /** Continues the user's search, if there is one, for a socket on this replica. @returns the user's state. */
  async resume(userId: number): Promise<MatchState> {
    const known = this.waitingUsers.get(userId)?.exclusions;
    const areKnownCurrent = known !== undefined && !this.searchExclusions.areOld(userId, known);
    // Without current exclusions, this call does not retry matching. The exclusions are then read below, but only for
    // a searching user, because most users who connect are not searching.
    const state = await this.departOnFailure(
      userId,
      this.queue.resume(userId, areKnownCurrent ? known.userIds : null),
    );
    if (areKnownCurrent || state.kind !== 'searching')
      return this.track(userId, state, known ?? UNKNOWN_EXCLUSIONS);
    const exclusions = await this.searchExclusions.read(userId, known);
    // Not `queue.retry`: while the lease of this replica has lapsed, it would take the user out of the queue and return
    // `idle`.
    const retried = await this.departOnFailure(userId, this.queue.resume(userId, exclusions.userIds));
    return this.track(userId, retried, exclusions);
  }

  /** Ends the user's search, unless a match was made. */
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
  async restoreRecords(): Promise<void> {
    // A message about changed exclusions may have been lost. With `readAt` 0 they are read again before they are used.
    for (const user of this.waitingUsers.values()) user.exclusions = { ...user.exclusions, readAt: 0 };
    await this.checkRecords({ isAfterLoss: true });
  }

  /** Retries matching for a searching user, even if the user has no socket on this replica. */
  async retryNow(userId: number): Promise<void> {
    const { userIds } = await this.findExclusions(userId);
    const state = await this.queue.retry(userId, userIds);
    if (state.kind === 'matched') await this.events.deliver('MatchMade', state.match);
  }

  /**
   * Tracks a user who is searching or matched, and no longer tracks any other user. Starts the chat of a match that
   * the preceding call to Redis made (`matched`); `claimed` is a match by another call.
   * @returns the state.
   */
  private async track(userId: number, state: MatchState, usedExclusions: Exclusions): Promise<MatchState> {
    const waiting = this.waitingUsers.get(userId);
    const known = waiting?.exclusions;
    // Another call may have read the exclusions after this one: use the newer ones.
    const exclusions = known && known.readAt > usedExclusions.readAt ? known : usedExclusions;
    this.metrics.recordSearchResult(state.kind, waiting?.since);
    this.untrack(userId);
    if (state.kind === 'searching') {
      const { criteria, since, retryInMs } = state;
      const retryTimer =
        retryInMs === null
          ? undefined
          : setTimeout(() => void this.retry(userId), retryInMs + RETRY_SLACK_MS);
      this.waitingUsers.set(userId, { criteria, since, retryTimer, exclusions });
    } else if (state.kind === 'matched' || state.kind === 'claimed') {
      this.waitingUsers.set(userId, {
        criteria: state.criteria,
        since: null,
        retryTimer: undefined,
        exclusions,
      });
    }
    // If the user's last socket closed during the call to Redis, no later event would release the place.
    if (!this.registry.hasSocketsOf(userId)) await this.depart(userId);
    if (state.kind === 'matched') await this.events.deliver('MatchMade', state.match);
    // If the exclusions changed during the call to Redis, it has used the old ones.
    if (state.kind === 'searching' && this.searchExclusions.haveChanged(userId, exclusions))
      void this.retry(userId);
    return state;
  }

  /**
   * If a call fails here, Redis may still have executed it, and this replica may hold the user's place. If the user has
   * a socket here, a later check repeats the call; otherwise this replica releases the place.
   */
  private async departOnFailure(userId: number, call: Promise<MatchState>): Promise<MatchState> {
    try {
      return await call;
    } catch (error) {
      if (!this.registry.hasSocketsOf(userId)) await this.depart(userId);
      throw error;
    }
  }

  /**
   * Stops holding the user's place in the queue. The search continues on other replicas that hold the place; without
   * one, the user is not matched until they connect again.
   */
  private async depart(userId: number): Promise<void> {
    this.untrack(userId);
    await this.queue.depart(userId);
  }

  /** Makes the other replicas that hold sockets of the user also hold the user's place in the queue. */
  private async publishSearch(userId: number): Promise<void> {
    try {
      await this.userPublisher.publish(userId, { kind: 'searching' });
    } catch (error) {
      logWarning(this.logger, 'A search was not published', error); // only this replica holds the place
    }
  }

  /** Handles a search that was started on another replica: if that replica dies, this one still holds the place. */
  @OnProcessEvent('SearchStarted')
  async resumeSearch({ userId }: ProcessEventMap['SearchStarted']): Promise<void> {
    if (this.waitingUsers.has(userId)) return;
    try {
      await this.resume(userId);
    } catch (error) {
      logWarning(this.logger, 'A search was not resumed', error);
    }
  }

  @OnProcessEvent('ChatStarted')
  untrackUserInChat({ userId }: ProcessEventMap['ChatStarted']): void {
    // If another replica made the match, `since` is still set. Otherwise `track` has recorded the result and set it to
    // null, and this call has no effect.
    this.metrics.recordSearchResult('claimed', this.waitingUsers.get(userId)?.since);
    this.untrack(userId);
    this.queue.forget(userId); // this replica no longer holds the place
  }

  private untrack(userId: number): void {
    clearTimeout(this.waitingUsers.get(userId)?.retryTimer);
    this.waitingUsers.delete(userId);
  }

  private async retry(userId: number): Promise<void> {
    if (!this.waitingUsers.has(userId)) return;
    try {
      const exclusions = await this.findExclusions(userId);
      await this.track(userId, await this.queue.retry(userId, exclusions.userIds), exclusions);
    } catch (error) {
      logWarning(this.logger, 'A retry failed', error); // the next check of the records resumes the search
    }
  }

  /** Reads the user's exclusions again, and retries matching in case a user is no longer excluded. */
  @OnProcessEvent('ExclusionsChanged')
  async applyExclusions({ userId }: ProcessEventMap['ExclusionsChanged']): Promise<void> {
    const userBefore = this.waitingUsers.get(userId);
    if (!userBefore) return;
    const exclusions = await this.searchExclusions.read(userId, userBefore.exclusions);
    const user = this.waitingUsers.get(userId); // read again: the state may have changed during the query
    if (!user) return;
    user.exclusions = exclusions;
    const isSearching = user.since !== null;
    if (isSearching) await this.retry(userId);
  }

  /** Ends the search of a user whose standing no longer allows it; moves other users to the pool of their standing. */
  @OnProcessEvent('StandingChanged')
  async applyStanding({ userId, standing }: ProcessEventMap['StandingChanged']): Promise<void> {
    if (!maySearch(standing)) {
      const { kind } = await this.leave(userId);
      // `claimed`: the user was matched, but the chat has not started. The chat ends as soon as it starts.
      if (kind === 'left' || kind === 'claimed') await this.userPublisher.sendFrame(userId, 'queue_left', {});
      return;
    }
    const exclusions = await this.findExclusions(userId);
    const state = await this.queue.changePool(userId, choosePool(standing), exclusions.userIds);
    if (this.waitingUsers.has(userId)) {
      await this.track(userId, state, exclusions);
    } else if (state.kind === 'matched') {
      // Another replica tracks the user, but this call made the match, so this replica starts the chat.
      await this.events.deliver('MatchMade', state.match);
    }
  }

  /** @returns the exclusions of the user's search, read again if the known ones are old. */
  private async findExclusions(userId: number): Promise<Exclusions> {
    const known = this.waitingUsers.get(userId)?.exclusions;
    if (known && !this.searchExclusions.areOld(userId, known)) return known;
    return this.searchExclusions.read(userId, known);
  }

  /**
   * Compares the tracked users with their records in Redis: each has to be in the queue or in a chat. One check runs at
   * a time; a check that is requested during another one runs after it.
   * @param isAfterLoss whether Redis may have lost records. If so, missing records are restored. If not, a user whose
   * record is missing in two consecutive checks is no longer tracked, because the search was ended on another replica.
   * One check is not enough, because a loss is noticed with some delay.
   */
  checkRecords({ isAfterLoss } = { isAfterLoss: false }): Promise<void> {
    this.lastCheck = this.lastCheck.then(() => this.checkAll(isAfterLoss));
    return this.lastCheck;
  }

  private async checkAll(isAfterLoss: boolean): Promise<void> {
    const userIds = [...this.waitingUsers.keys()];
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

  private async checkUser(userId: number, record: QueueRecord | null, isAfterLoss: boolean): Promise<void> {
    const user = this.waitingUsers.get(userId);
    if (!user) return;
    if (record?.state === 'chatting' && record.sessionId) {
      // The announcement of the chat has not reached this replica.
      this.events.publish('ChatStarted', { userId, sessionId: record.sessionId });
    } else if (!record) {
      if (isAfterLoss) await this.join(userId, user.criteria);
      else if (user.hadNoRecord) this.untrack(userId);
      else user.hadNoRecord = true;
    } else if (record.state === 'searching') {
      // Redis may have lost the user's entry in the queue, which this restores.
      await this.resume(userId);
    }
    // A claimed user stays tracked until the chat starts or the claim expires.
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
          await this.applyStanding({ userId, standing });
      }
    } catch (error) {
      logWarning(this.logger, 'Standings of searching users were not checked', error);
    }
  }

  /**
   * Sends users who have searched for ten seconds or longer how long they have waited, and whether a compatible user is
   * searching.
   */
  private async sendStatus(): Promise<void> {
    const now = Date.now();
    const longWaitingUsers = [...this.waitingUsers].flatMap(([userId, { criteria, since }]) => {
      const waitedMs = since ? now - since.getTime() : 0;
      return waitedMs >= limits.queueStatusIntervalMs ? [{ userId, criteria, waitedMs }] : [];
    });
    if (longWaitingUsers.length === 0) return;
    try {
      const counts = await this.queue.countWaiting();
      for (const { userId, criteria, waitedMs } of longWaitingUsers) {
        const status = { waitedMs, anyoneMatches: hasCandidate(criteria, counts) };
        for (const connection of this.registry.iterateAuthenticatedSockets(userId))
          connection.sendFrame('queue_status', status);
      }
    } catch (error) {
      logWarning(this.logger, 'The queue status was not sent', error);
    }
  }
}
