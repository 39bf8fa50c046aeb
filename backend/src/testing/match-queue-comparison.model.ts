import type { Preference } from '@thaw/contract/scalars';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import type { Environment } from '../config/environment.config';
import {
  type Match,
  MatchQueueService,
  type MatchState,
} from '../modules/matching/application/match-queue.service';
import type { Pool } from '../modules/matching/application/search-criteria.functions';
import type { ReplicaLeaseService } from '../platform/realtime/replica-lease.service';
import { matchingKeys } from '../platform/redis/redis.keys';
import { expectRedisToMatchModel } from './match-queue-comparison.functions';
import { MatchQueueCrowd, type ModelUser, formatPair } from './match-queue-crowd.model';
import { type Crowd, REPLICA_COUNT, type Step } from './match-queue-steps.fixture';
import { FAR_FUTURE_MS } from './test-match-queue.harness';

/** Longer than the test takes, so that no cool-down ends. */
const COOLDOWN_S = 600;

/**
 * Applies every step (see `Step`) to the real match queue and to a reference model (`model`), and expects the same
 * results. A new match is a claim: its users are `claimed` until it is confirmed, when their chat starts, or released.
 * Users flagged by moderation are in the pool `care`, all others in `common`; only users of the same pool are matched.
 * An invalid step, such as confirming a match that does not exist, changes neither the queue nor the model.
 */
export class MatchQueueComparison {
  /** Number of steps by operation, and of searches by result, to check that a run covered enough cases. */
  readonly counts = new Map<string, number>();
  private readonly model: MatchQueueCrowd;
  private readonly services = new Map<string, MatchQueueService>();

  /**
   * @param relaxAfterS seconds of waiting after which cool-downs are ignored: 0 for always, or more than the test takes
   * for never. During a cool-down, the partners of a chat are not matched again.
   */
  constructor(
    private readonly redis: RedisClient,
    crowd: Crowd,
    private readonly relaxAfterS: number,
  ) {
    this.model = new MatchQueueCrowd(crowd);
  }

  /** Grants a lease to every replica. */
  async start(): Promise<void> {
    for (let index = 0; index < REPLICA_COUNT; index += 1) await this.grantLease(index);
  }

  /** Executes a step in the queue and in the model, and compares the results and the states. */
  async execute(step: Step): Promise<void> {
    const user = this.model.users[step.userIndex % this.model.users.length]!; // a crowd has at least two users
    const replicaId = this.model.getReplicaId(step.replicaIndex);
    const service = this.getService(replicaId);
    switch (step.operation) {
      case 'join':
        await this.join(service, user, { replicaId, preference: step.preference });
        break;
      case 'resume': {
        const result = await service.resume(user.id, user.excludedIds);
        if (user.state === 'searching' || user.state === 'claimed') user.replicaIds.add(replicaId);
        this.expectSearchResult(user, result);
        break;
      }
      case 'retry':
        await this.retry(service, user);
        break;
      case 'depart':
        await service.depart(user.id);
        // Redis does not record the replicas of a user who is chatting.
        if (user.state !== 'chatting') user.replicaIds.delete(replicaId);
        break;
      case 'leave':
        await this.leave(service, user);
        break;
      case 'confirm':
        await this.confirm(service, this.model.chooseMatch(step.targetIndex));
        break;
      case 'release':
        await this.release(service, this.model.chooseMatch(step.targetIndex));
        break;
      case 'finish':
        await this.finish(service, this.findChat(user));
        break;
      case 'block':
        await this.block(service, user, this.model.chooseOther(user, step.targetIndex));
        break;
      case 'unblock':
        await this.unblock(service, user, this.model.chooseOther(user, step.targetIndex));
        break;
      case 'flag':
        await this.changePool(service, user, 'care');
        break;
      case 'unflag':
        user.isSuspended = false;
        await this.changePool(service, user, 'common');
        break;
      case 'suspend':
        this.count(`suspend while ${user.state}`);
        user.isSuspended = true;
        await this.leave(service, user);
        break;
      case 'restart':
        await this.redis.zrem(matchingKeys.leases, replicaId);
        this.model.restartReplica(step.replicaIndex); // gives it a new id
        await this.grantLease(step.replicaIndex);
        break;
    }
    this.count(step.operation);
    await expectRedisToMatchModel(this.redis, this.model);
    // Users who may be matched must not both be left searching.
    const missedPairs = this.model.listMatchablePairs({ ignoresCooldowns: this.relaxAfterS === 0 });
    if (missedPairs.length > 0) expect(missedPairs).toEqual([]); // `expect` is slow, so only for a difference
  }

  private async join(
    service: MatchQueueService,
    user: ModelUser,
    { replicaId, preference }: { replicaId: string; preference: Preference },
  ): Promise<void> {
    // As for a real join, the replica reads the blocks again.
    user.excludedIds = this.model.listBlockedIds(user);
    if (user.isSuspended) return; // refused before it reaches the queue
    const result = await service.join(user.id, user.gender, preference, user.excludedIds, user.pool);
    switch (user.state) {
      case 'nowhere':
        user.replicaIds = new Set([replicaId]); // Redis has kept none from an earlier search
        user.since = 0; // not known until the queue returns it
        user.state = 'searching';
        user.preference = preference;
        break;
      case 'searching':
        user.replicaIds.add(replicaId);
        user.preference = preference;
        break;
      case 'claimed':
        user.hasLeft = false; // a new join revokes the leave
        break;
      case 'chatting':
        break;
    }
    this.expectSearchResult(user, result);
  }

  /** Finds the match of the user's chat or, if they have none, of any chat. */
  private findChat(user: ModelUser): Match | null | undefined {
    const chattingUser =
      user.state === 'chatting' ? user : this.model.users.find(({ state }) => state === 'chatting');
    return chattingUser?.match;
  }

  private async leave(service: MatchQueueService, user: ModelUser): Promise<void> {
    const { kind } = await service.leave(user.id);
    switch (user.state) {
      case 'nowhere':
        expect(kind).toBe('idle');
        break;
      case 'searching':
        expect(kind).toBe('left');
        user.state = 'nowhere';
        break;
      case 'claimed':
        expect(kind).toBe('claimed');
        user.hasLeft = true;
        break;
      case 'chatting':
        expect(kind).toBe('chatting');
        break;
    }
  }

  private async confirm(service: MatchQueueService, match: Match | undefined): Promise<void> {
    if (!match) return;
    const users = this.model.getUsers(match); // in order of their ids
    // Also true for the match of a chat in progress: confirming it again succeeds, without an effect.
    const isCurrent = users.every((user) => user.match === match);
    const canBeConfirmed = isCurrent && !this.model.separatedMatches.has(match);
    const leaverIds = await service.confirm(match);
    if (!canBeConfirmed) {
      expect(leaverIds).toBeNull();
      return;
    }
    expect([...(leaverIds ?? [])].sort()).toEqual(users.filter(({ hasLeft }) => hasLeft).map(({ id }) => id));
    for (const user of users) Object.assign(user, { state: 'chatting', hasLeft: false });
    // A user who left during the claim skips the chat, which therefore ends at once.
    if (leaverIds && leaverIds.length > 0) await this.finish(service, match);
  }

  /** Releases a claim and retries its users, as the replica that sweeps expired claims does. */
  private async release(service: MatchQueueService, match: Match | undefined): Promise<void> {
    if (!match) return;
    const claimedUsers = this.model
      .getUsers(match) // in order of their ids
      .filter((user) => user.match === match && user.state === 'claimed');
    const searchingIds = await service.release(match);
    expect([...searchingIds].sort()).toEqual(
      claimedUsers.filter(({ hasLeft }) => !hasLeft).map(({ id }) => id),
    );
    for (const user of claimedUsers) {
      Object.assign(user, { state: user.hasLeft ? 'nowhere' : 'searching', match: null, hasLeft: false });
    }
    for (const userId of searchingIds) {
      const user = this.model.requireUser(userId);
      await this.retry(service, user);
    }
  }

  private async finish(service: MatchQueueService, match: Match | null | undefined): Promise<void> {
    if (!match) return;
    await service.finish(match);
    for (const user of this.model.getUsers(match)) Object.assign(user, { state: 'nowhere', match: null });
    const pair = formatPair(...match.userIds);
    // A pair has one key in Redis, for a block or for a cool-down. The key of a block stays, so no cool-down starts.
    if (!this.model.pairsKeptApart.has(pair)) this.model.formerPairs.add(pair);
  }

  /**
   * Blocks as `BlocksService` does, which gives the pair a key in Redis. `excludedIds` stays as it was, so that only
   * this key prevents a match.
   */
  private async block(service: MatchQueueService, user: ModelUser, other: ModelUser): Promise<void> {
    const pair = formatPair(user.id, other.id);
    this.model.blockedPairs.add(pair);
    this.model.pairsKeptApart.add(pair);
    this.model.formerPairs.delete(pair);
    const sessionId = await service.separate(user.id, other.id);
    const { match } = user;
    const areTogether = match !== null && match === other.match;
    expect(sessionId).toBe(areTogether && user.state === 'chatting' ? match.sessionId : null);
    if (!areTogether) return;
    this.count(`block while ${user.state}`);
    if (user.state === 'chatting') await this.finish(service, match);
    else this.model.separatedMatches.add(match);
  }

  /** Lifts a block as `BlocksService` does: reads `excludedIds` of both users again, and retries their searches. */
  private async unblock(service: MatchQueueService, user: ModelUser, other: ModelUser): Promise<void> {
    const pair = formatPair(user.id, other.id);
    this.model.blockedPairs.delete(pair);
    this.model.pairsKeptApart.delete(pair);
    await service.allowAgain(user.id, other.id);
    const users = [user, other];
    for (const unblocked of users) unblocked.excludedIds = this.model.listBlockedIds(unblocked);
    for (const unblocked of users) if (unblocked.state === 'searching') await this.retry(service, unblocked);
  }

  /** Moves a user as `MatchmakingService` does when their standing changes. */
  private async changePool(service: MatchQueueService, user: ModelUser, pool: Pool): Promise<void> {
    if (pool !== user.pool) this.count(`${pool} while ${user.state}`);
    user.pool = pool;
    this.expectRetryResult(user, await service.changePool(user.id, pool, user.excludedIds));
  }

  private async retry(service: MatchQueueService, user: ModelUser): Promise<void> {
    this.expectRetryResult(user, await service.retry(user.id, user.excludedIds));
  }

  private expectRetryResult(user: ModelUser, result: MatchState): void {
    // Without a socket on a live replica, a user is parked: in no queue until a socket opens.
    const isParked = user.state === 'searching' && !this.model.isConnected(user);
    if (isParked) expect(result).toEqual({ kind: 'idle' });
    else this.expectSearchResult(user, result);
  }

  /** Checks the result of a call that looks for a partner, and applies a match to the model. */
  private expectSearchResult(user: ModelUser, result: MatchState): void {
    switch (user.state) {
      case 'nowhere':
        expect(result).toEqual({ kind: 'idle' });
        return;
      case 'claimed':
      case 'chatting':
        expect(result).toMatchObject({ kind: user.state, sessionId: user.match?.sessionId });
        return;
      case 'searching':
        break;
    }
    const compatible = this.model.users.filter((other) => this.model.isMatchable(user, other));
    const newPartners = compatible.filter((other) => !this.model.areInCooldown(user, other));
    // A former partner is eligible only if there is no new one and cool-downs are ignored.
    const mayMatchFormerPartners = newPartners.length === 0 && this.relaxAfterS === 0;
    const eligible = mayMatchFormerPartners ? compatible : newPartners;
    if (eligible.length === 0) {
      this.count('waits');
      expect(result).toMatchObject({ kind: 'searching' });
      const since = result.kind === 'searching' ? result.since.getTime() : 0;
      if (user.since === 0) user.since = since;
      expect(since).toBe(user.since);
      return;
    }
    this.count(mayMatchFormerPartners ? 'matched again' : 'matched');
    if (user.pool === 'care') this.count('matched in the care pool');
    expect(result).toMatchObject({ kind: 'matched' });
    if (result.kind !== 'matched') return;
    const { match } = result;
    const [searcherId, partnerId] = match.userIds;
    expect(searcherId).toBe(user.id);
    const partner = this.model.requireUser(partnerId);
    expect(eligible).toContain(partner);
    // The partner is the eligible user who has waited longest.
    expect(partner.since).toBe(Math.min(...eligible.map(({ since }) => since)));
    for (const matchedUser of [user, partner])
      Object.assign(matchedUser, { state: 'claimed', match, hasLeft: false });
    this.model.matches.push(match);
  }

  private getService(replicaId: string): MatchQueueService {
    const existing = this.services.get(replicaId);
    if (existing) return existing;
    const environment = {
      REMATCH_COOLDOWN_S: COOLDOWN_S,
      REMATCH_RELAX_AFTER_S: this.relaxAfterS,
    } as Environment;
    const service = new MatchQueueService(this.redis, environment, { replicaId } as ReplicaLeaseService);
    this.services.set(replicaId, service);
    return service;
  }

  /** Makes a replica count as alive. */
  private async grantLease(replicaIndex: number): Promise<void> {
    await this.redis.zadd(matchingKeys.leases, FAR_FUTURE_MS, this.model.getReplicaId(replicaIndex));
  }

  private count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
