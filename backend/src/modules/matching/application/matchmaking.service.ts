import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { MatchMetricsRegistry } from './match-metrics.registry';
import { type LeaveResult, MatchQueueService, type MatchState } from './match-queue.service';
import { choosePool, maySearch, type SearchCriteria } from './search-criteria.functions';
import { type Exclusions, SearchExclusionsService, UNKNOWN_EXCLUSIONS } from './search-exclusions.service';
import { WaitingUserRegistry } from './waiting-user.registry';

/** Added to the delay of a retry, because one that comes too early finds the cool-down still in force. */
const RETRY_SLACK_MS = 50;

/**
 * Runs the searches of users who have a socket on this replica. Each call to Redis returns the state of its user:
 * - `searching`: the user is in the queue.
 * - `matched`: this call has matched the user, so this replica starts the chat.
 * - `claimed`: another call has matched the user, and the chat has not started. The replica that made the call starts
 *   the chat.
 * - `chatting`: the chat has started.
 * - `idle`: none of these.
 * In the first three states the user is waiting, and `WaitingUserRegistry` tracks them.
 *
 * While a user searches, each replica with a socket of the user holds the user's place in the queue. A replica is live
 * while it renews its lease in Redis. If no live replica holds the place, the user is not matched.
 *
 * After a chat, its users have a cool-down, in which they are not matched with each other. It may be ignored once one
 * of the two has searched for `REMATCH_RELAX_AFTER_S` (ten seconds by default). If a cool-down has prevented a match,
 * this service retries at that time.
 */
@Injectable()
export class MatchmakingService {
  private readonly logger = new Logger(MatchmakingService.name);

  constructor(
    private readonly waitingUsers: WaitingUserRegistry,
    private readonly queue: MatchQueueService,
    private readonly socketRegistry: SocketRegistry,
    private readonly userPublisher: UserPublisherService,
    private readonly events: ProcessEventsService,
    private readonly searchExclusions: SearchExclusionsService,
    private readonly metrics: MatchMetricsRegistry,
  ) {}

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
    return this.applyState(userId, state, exclusions);
  }

  /** Continues the user's search, if there is one, for a socket on this replica. @returns the user's state. */
  async resume(userId: number): Promise<MatchState> {
    const known = this.waitingUsers.find(userId)?.exclusions;
    const current = known && !this.searchExclusions.areOld(userId, known) ? known : null;
    // A match needs current exclusions. With null, `queue.resume` does not try to match the user.
    const state = await this.departOnFailure(userId, this.queue.resume(userId, current?.userIds ?? null));
    if (current || state.kind !== 'searching')
      return this.applyState(userId, state, known ?? UNKNOWN_EXCLUSIONS);
    // Read only now that the user is known to be searching: most users who connect are not.
    const exclusions = await this.searchExclusions.read(userId, known);
    // Not `queue.retry`, which takes the user out of the queue if no live replica holds the place: this replica may
    // have failed to renew its lease in time, but the user has a socket here.
    const resumed = await this.departOnFailure(userId, this.queue.resume(userId, exclusions.userIds));
    return this.applyState(userId, resumed, exclusions);
  }

  /** Ends the user's search, unless a match was made. */
  async leave(userId: number): Promise<LeaveResult> {
    this.waitingUsers.untrack(userId);
    return this.queue.leave(userId);
  }

  @OnProcessEvent('SocketClosed')
  async departWithLastSocket({ connection, closure }: ProcessEventMap['SocketClosed']): Promise<void> {
    if (closure.wasLastOfUser) await this.depart(connection.identity.userId);
  }

  /** Retries matching for a searching user, even if the user has no socket on this replica. */
  async retryNow(userId: number): Promise<void> {
    const { userIds } = await this.findExclusions(userId);
    const state = await this.queue.retry(userId, userIds);
    if (state.kind === 'matched') await this.events.deliver('MatchMade', state.match);
  }

  /**
   * Applies the state that a call to Redis has returned: tracks a waiting user, and no longer tracks any other. If the
   * call made a match, starts its chat.
   * @param usedExclusions the exclusions that the call used.
   * @returns the state.
   */
  private async applyState(
    userId: number,
    state: MatchState,
    usedExclusions: Exclusions,
  ): Promise<MatchState> {
    const exclusions = this.updateTracking(userId, state, usedExclusions);
    // If the user's last socket closed during the call to Redis, no later event would release the place.
    if (!this.socketRegistry.hasSocketsOf(userId)) await this.depart(userId);
    // Also without a socket here: no other replica starts this chat.
    if (state.kind === 'matched') await this.events.deliver('MatchMade', state.match);
    // If the exclusions changed during the call to Redis, it has used the old ones. `retry` does nothing for a user who
    // has departed.
    if (state.kind === 'searching' && this.searchExclusions.haveChanged(userId, exclusions))
      void this.retry(userId);
    return state;
  }

  /** @returns the newest exclusions of the user that are known. */
  private updateTracking(userId: number, state: MatchState, usedExclusions: Exclusions): Exclusions {
    const previous = this.waitingUsers.find(userId);
    // Another call may have read the exclusions after this one.
    const isPreviousNewer = previous && previous.exclusions.readAt > usedExclusions.readAt;
    const exclusions = isPreviousNewer ? previous.exclusions : usedExclusions;
    this.metrics.recordSearchResult(state.kind, previous?.since);
    if (state.kind === 'searching') {
      const { criteria, since, retryInMs } = state;
      const retryTimer =
        retryInMs === null
          ? undefined
          : setTimeout(() => void this.retry(userId), retryInMs + RETRY_SLACK_MS);
      this.waitingUsers.track(userId, { criteria, since, retryTimer, exclusions });
    } else if (state.kind === 'matched' || state.kind === 'claimed') {
      const { criteria } = state;
      this.waitingUsers.track(userId, { criteria, since: null, retryTimer: undefined, exclusions });
    } else {
      this.waitingUsers.untrack(userId);
    }
    return exclusions;
  }

  /**
   * If a call fails here, Redis may still have executed it, and this replica may hold the user's place. If the user has
   * a socket here, a later check repeats the call; otherwise this replica releases the place.
   */
  private async departOnFailure(userId: number, call: Promise<MatchState>): Promise<MatchState> {
    try {
      return await call;
    } catch (error) {
      if (!this.socketRegistry.hasSocketsOf(userId)) await this.depart(userId);
      throw error;
    }
  }

  /**
   * Stops holding the user's place in the queue. The search continues on other replicas that hold the place; without
   * one, the user is not matched until they connect again.
   */
  private async depart(userId: number): Promise<void> {
    this.waitingUsers.untrack(userId);
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
    // Records the end of a search that another replica matched. If the match is known here, its time is recorded
    // already: `since` is null, and `recordSearchResult` does nothing.
    this.metrics.recordSearchResult('claimed', this.waitingUsers.find(userId)?.since);
    this.waitingUsers.untrack(userId);
    this.queue.forget(userId); // this replica no longer holds the place
  }

  private async retry(userId: number): Promise<void> {
    if (!this.waitingUsers.has(userId)) return;
    try {
      const exclusions = await this.findExclusions(userId);
      await this.applyState(userId, await this.queue.retry(userId, exclusions.userIds), exclusions);
    } catch (error) {
      logWarning(this.logger, 'A retry failed', error); // the next check of the records resumes the search
    }
  }

  /** Reads the user's exclusions again, and retries matching in case a user is no longer excluded. */
  @OnProcessEvent('ExclusionsChanged')
  async applyExclusions({ userId }: ProcessEventMap['ExclusionsChanged']): Promise<void> {
    const userBefore = this.waitingUsers.find(userId);
    if (!userBefore) return;
    const exclusions = await this.searchExclusions.read(userId, userBefore.exclusions);
    const user = this.waitingUsers.find(userId); // found again: the state may have changed during the query
    if (!user) return;
    user.exclusions = exclusions;
    const isSearching = user.since !== null;
    if (isSearching) await this.retry(userId);
  }

  /**
   * Applies a user's standing, which is what moderation allows them: ends the search of a user who may no longer
   * search, and moves other users to the pool of their standing.
   */
  @OnProcessEvent('StandingChanged')
  async applyStanding({ userId, standing }: ProcessEventMap['StandingChanged']): Promise<void> {
    if (!maySearch(standing)) {
      const { kind } = await this.leave(userId);
      // `claimed`: the chat that is about to start ends as soon as it starts.
      if (kind === 'left' || kind === 'claimed') await this.userPublisher.sendFrame(userId, 'queue_left', {});
      return;
    }
    const exclusions = await this.findExclusions(userId);
    const state = await this.queue.changePool(userId, choosePool(standing), exclusions.userIds);
    if (this.waitingUsers.has(userId)) {
      await this.applyState(userId, state, exclusions);
    } else if (state.kind === 'matched') {
      // Another replica tracks the user, but this call made the match, so this replica starts the chat.
      await this.events.deliver('MatchMade', state.match);
    }
  }

  /** @returns the exclusions of the user's search, read again if the known ones are old. */
  private async findExclusions(userId: number): Promise<Exclusions> {
    const known = this.waitingUsers.find(userId)?.exclusions;
    if (known && !this.searchExclusions.areOld(userId, known)) return known;
    return this.searchExclusions.read(userId, known);
  }
}
