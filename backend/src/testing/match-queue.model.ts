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
import { expectSameInRedis } from './match-queue-comparison.functions';
import { MatchQueueCrowd, type ModelUser, formatPair } from './match-queue-crowd.model';
import { type Crowd, REPLICAS, type Step } from './match-queue-steps.fixture';
import { FAR_FUTURE_MS } from './test-match-queue.harness';

/**
 * A reference model of the queue: applies every step to the model and to the real queue, and compares them. A step that
 * is invalid in the current state (such as confirming a match that does not exist) does nothing.
 */
export class MatchQueueModel {
  /** Number of executed steps by kind, and of joins by result, to check that a run covered enough. */
  readonly counts = new Map<string, number>();
  private readonly crowd: MatchQueueCrowd;
  private readonly services = new Map<string, MatchQueueService>();

  /** @param relaxAfterS seconds after which a cool-down may be ignored: 0, or more than the test takes. */
  constructor(
    private readonly redis: RedisClient,
    crowd: Crowd,
    private readonly relaxAfterS: number,
  ) {
    this.crowd = new MatchQueueCrowd(crowd);
  }

  async start(): Promise<void> {
    for (let index = 0; index < REPLICAS; index += 1) await this.grantLease(index);
  }

  async execute(step: Step): Promise<void> {
    const user = this.crowd.users[step.userIndex % this.crowd.users.length];
    if (!user) return;
    const replicaId = this.crowd.getReplicaId(step.replicaIndex);
    const service = this.getService(replicaId);
    if (step.operation === 'join') user.excludedIds = this.crowd.listExcluded(user);
    const excluded = user.excludedIds;
    switch (step.operation) {
      case 'join': {
        if (user.isSuspended) break; // refused before it reaches the queue
        const result = await service.join(user.id, user.gender, step.preference, excluded, user.pool);
        if (user.place === 'claimed') user.hasLeft = false;
        if (user.place === 'nowhere') user.replicas.clear();
        if (user.place === 'nowhere' || user.place === 'searching') {
          user.replicas.add(replicaId);
          this.markSearching(user, step.preference);
        }
        this.expectAttempt(user, result);
        break;
      }
      case 'resume': {
        const result = await service.resume(user.id, excluded);
        if (user.place === 'searching' || user.place === 'claimed') user.replicas.add(replicaId);
        this.expectAttempt(user, result);
        break;
      }
      case 'retry': {
        await this.retry(service, user);
        break;
      }
      case 'depart':
        await service.depart(user.id);
        if (user.place !== 'chatting') user.replicas.delete(replicaId);
        break;
      case 'leave':
        await this.leave(service, user);
        break;
      case 'confirm':
        await this.confirm(service, this.crowd.matchAt(step.matchIndex));
        break;
      case 'release':
        await this.release(service, this.crowd.matchAt(step.matchIndex));
        break;
      case 'finish':
        await this.finish(
          service,
          [user, ...this.crowd.users].find(({ place }) => place === 'chatting')?.match,
        );
        break;
      case 'block':
        await this.block(service, user, this.crowd.chooseOther(user, step.matchIndex));
        break;
      case 'unblock':
        await this.unblock(service, user, this.crowd.chooseOther(user, step.matchIndex));
        break;
      case 'flag':
        await this.changePool(service, user, 'care');
        break;
      case 'unflag':
        user.isSuspended = false;
        await this.changePool(service, user, 'common');
        break;
      case 'suspend':
        this.count(`suspend while ${user.place}`);
        user.isSuspended = true;
        await this.leave(service, user);
        break;
      case 'restart':
        await this.redis.zrem(matchingKeys.leases, replicaId);
        this.crowd.restart(step.replicaIndex);
        await this.grantLease(step.replicaIndex);
        break;
    }
    this.count(step.operation);
    await expectSameInRedis(this.redis, this.crowd);
    const matchable = this.crowd.listMatchablePairs(this.relaxAfterS === 0);
    if (matchable.length > 0) expect(matchable).toEqual([]);
  }

  private async leave(service: MatchQueueService, user: ModelUser): Promise<void> {
    const { kind } = await service.leave(user.id);
    switch (user.place) {
      case 'nowhere':
        expect(kind).toBe('idle');
        break;
      case 'searching':
        expect(kind).toBe('left');
        user.place = 'nowhere';
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
    const users = this.crowd.getUsers(match);
    const isValid = users.every((user) => user.match === match) && !this.crowd.separated.has(match);
    const left = await service.confirm(match);
    if (!isValid) {
      expect(left).toBeNull();
      return;
    }
    expect([...(left ?? [])].sort()).toEqual(users.filter(({ hasLeft }) => hasLeft).map(({ id }) => id));
    for (const user of users) Object.assign(user, { place: 'chatting', hasLeft: false });
    // A user who left after the match has skipped the chat.
    if (left && left.length > 0) await this.finish(service, match);
  }

  /** Releases an expired claim and retries its users, as the sweeping replica does. */
  private async release(service: MatchQueueService, match: Match | undefined): Promise<void> {
    if (!match) return;
    const claimed = this.crowd
      .getUsers(match)
      .filter((user) => user.match === match && user.place === 'claimed');
    const waiting = await service.release(match);
    expect([...waiting].sort()).toEqual(claimed.filter(({ hasLeft }) => !hasLeft).map(({ id }) => id));
    for (const user of claimed) {
      Object.assign(user, { place: user.hasLeft ? 'nowhere' : 'searching', match: null, hasLeft: false });
    }
    for (const userId of waiting) {
      const user = this.crowd.requireUser(userId);
      await this.retry(service, user);
    }
  }

  private async finish(service: MatchQueueService, match: Match | null | undefined): Promise<void> {
    if (!match) return;
    await service.finish(match);
    for (const user of this.crowd.getUsers(match)) Object.assign(user, { place: 'nowhere', match: null });
    const pair = formatPair(...match.userIds);
    if (!this.crowd.apart.has(pair)) this.crowd.formerPartners.add(pair);
  }

  /** Blocks as `BlocksService` does: the other replicas learn of it by the key of the pair only. */
  private async block(service: MatchQueueService, user: ModelUser, other: ModelUser): Promise<void> {
    const pair = formatPair(user.id, other.id);
    this.crowd.blocked.add(pair);
    this.crowd.apart.add(pair);
    this.crowd.formerPartners.delete(pair);
    const sessionId = await service.separate(user.id, other.id);
    const { match } = user;
    const areTogether = match !== null && match === other.match;
    expect(sessionId).toBe(areTogether && user.place === 'chatting' ? match.sessionId : null);
    if (!areTogether) return;
    this.count(`block while ${user.place}`);
    if (user.place === 'chatting') await this.finish(service, match);
    else this.crowd.separated.add(match);
  }

  /** Lifts a block as `BlocksService` does: the lists of both are read again, and their searches are retried. */
  private async unblock(service: MatchQueueService, user: ModelUser, other: ModelUser): Promise<void> {
    const pair = formatPair(user.id, other.id);
    this.crowd.blocked.delete(pair);
    this.crowd.apart.delete(pair);
    await service.allowAgain(user.id, other.id);
    for (const either of [user, other]) either.excludedIds = this.crowd.listExcluded(either);
    for (const either of [user, other]) if (either.place === 'searching') await this.retry(service, either);
  }

  /** Moves a user as `MatchmakingService` does when their standing changes. */
  private async changePool(service: MatchQueueService, user: ModelUser, pool: Pool): Promise<void> {
    if (pool !== user.pool) this.count(`${pool} while ${user.place}`);
    user.pool = pool;
    this.expectRetry(user, await service.changePool(user.id, pool, user.excludedIds));
  }

  private async retry(service: MatchQueueService, user: ModelUser): Promise<void> {
    this.expectRetry(user, await service.retry(user.id, user.excludedIds));
  }

  private expectRetry(user: ModelUser, result: MatchState): void {
    if (user.place === 'searching' && !this.crowd.isHeld(user)) expect(result).toEqual({ kind: 'idle' });
    else this.expectAttempt(user, result);
  }

  private markSearching(user: ModelUser, preference: Preference): void {
    if (user.place === 'nowhere') user.since = 0;
    user.place = 'searching';
    user.preference = preference;
  }

  /** Checks that the result of an attempt is the expected one. */
  private expectAttempt(user: ModelUser, result: MatchState): void {
    switch (user.place) {
      case 'nowhere':
        expect(result).toEqual({ kind: 'idle' });
        return;
      case 'claimed':
      case 'chatting':
        expect(result).toMatchObject({ kind: user.place, sessionId: user.match?.sessionId });
        return;
      case 'searching':
        break;
    }
    const compatible = this.crowd.users.filter((other) => this.crowd.isMatchable(user, other));
    const newPartners = compatible.filter((other) => !this.crowd.wereTogether(user, other));
    const eligible = newPartners.length > 0 ? newPartners : this.relaxAfterS === 0 ? compatible : [];
    this.count(eligible.length > 0 ? (newPartners.length > 0 ? 'matched' : 'matched again') : 'waits');
    if (eligible.length > 0 && user.pool === 'care') this.count('matched in the care pool');
    if (eligible.length === 0) {
      expect(result).toMatchObject({ kind: 'searching' });
      const since = result.kind === 'searching' ? result.since.getTime() : 0;
      if (user.since === 0) user.since = since;
      expect(since).toBe(user.since);
      return;
    }
    expect(result).toMatchObject({ kind: 'matched' });
    if (result.kind !== 'matched') return;
    const { match } = result;
    const partner = this.crowd.requireUser(match.userIds[1]);
    expect(match.userIds[0]).toBe(user.id);
    expect(eligible).toContain(partner);
    expect(partner.since).toBe(Math.min(...eligible.map(({ since }) => since)));
    for (const one of [user, partner]) Object.assign(one, { place: 'claimed', match, hasLeft: false });
    this.crowd.matches.push(match);
  }

  private getService(replicaId: string): MatchQueueService {
    const known = this.services.get(replicaId);
    if (known) return known;
    const settings = { REMATCH_COOLDOWN_S: 600, REMATCH_RELAX_AFTER_S: this.relaxAfterS } as Environment;
    const service = new MatchQueueService(this.redis, settings, { replicaId } as ReplicaLeaseService);
    this.services.set(replicaId, service);
    return service;
  }

  private async grantLease(index: number): Promise<void> {
    await this.redis.zadd(matchingKeys.leases, FAR_FUTURE_MS, this.crowd.getReplicaId(index));
  }

  private count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
