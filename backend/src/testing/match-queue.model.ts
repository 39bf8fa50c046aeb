import type { Redis } from 'ioredis';
import type { Gender, Preference } from '@thaw/contract/scalars';
import type { Environment } from '../config/environment.config';
import {
  type Match,
  MatchQueueService,
  type MatchState,
} from '../modules/matching/application/match-queue.service';
import type { ReplicaLeaseService } from '../platform/realtime/replica-lease.service';
import { matchingKeys } from '../platform/redis/redis.keys';
import { type Crowd, REPLICAS, type Step } from './match-queue-steps.fixture';
import { FAR_FUTURE_MS } from './test-match-queue.harness';

interface ModelUser {
  id: number;
  gender: Gender;
  place: 'nowhere' | 'searching' | 'claimed' | 'chatting';
  preference: Preference;
  /** When the user joined, in ms since the epoch. Redis sets it; 0 until the model has read it. */
  since: number;
  /** Ids of the replicas that the record names, including dead ones. */
  replicas: Set<string>;
  match: Match | null;
  hasLeft: boolean;
  /** The users of blocks as the user's replica read them last. */
  excludedIds: number[];
}

const admits = (preference: Preference, gender: Gender): boolean =>
  preference === 'both' || preference === gender;

const pairOf = (one: number, other: number): string => (one < other ? `${one}-${other}` : `${other}-${one}`);

/**
 * A reference model of the queue: applies every step to the model and to the real queue, and compares them. A step that
 * is invalid in the current state (such as confirming a match that does not exist) does nothing.
 */
export class MatchQueueModel {
  /** Number of executed steps by kind, and of joins by result, to check that a run covered enough. */
  readonly counts = new Map<string, number>();
  private readonly users: ModelUser[];
  /** Pairs of users, `<lower id>-<higher id>`, of whom one has blocked the other. */
  private readonly blocked = new Set<string>();
  /** Blocked pairs whose key in Redis keeps them apart. */
  private readonly apart = new Set<string>();
  private readonly formerPartners = new Set<string>();
  private readonly matches: Match[] = [];
  /** Claims of users of whom one has blocked the other since. */
  private readonly separated = new Set<Match>();
  /** How often each replica was restarted. A restart gives it a new id. */
  private readonly generations = new Array<number>(REPLICAS).fill(0);

  /** @param relaxAfterS seconds after which a cool-down may be ignored: 0, or more than the test takes. */
  constructor(
    private readonly redis: Redis,
    { genders, blocks }: Crowd,
    private readonly relaxAfterS: number,
  ) {
    this.users = genders.map((gender, index) => ({
      id: index + 1,
      gender,
      place: 'nowhere',
      preference: 'both',
      since: 0,
      replicas: new Set(),
      match: null,
      hasLeft: false,
      excludedIds: [],
    }));
    for (const [one, other] of blocks) this.blocked.add(pairOf(one + 1, other + 1));
    for (const user of this.users) user.excludedIds = this.excludedFor(user);
  }

  async start(): Promise<void> {
    for (let index = 0; index < REPLICAS; index += 1) await this.grantLease(index);
  }

  async execute(step: Step): Promise<void> {
    const user = this.users[step.userIndex % this.users.length];
    if (!user) return;
    const replicaId = this.replicaId(step.replicaIndex);
    const service = this.serviceOf(replicaId);
    if (step.operation === 'join') user.excludedIds = this.excludedFor(user);
    const excluded = user.excludedIds;
    switch (step.operation) {
      case 'join': {
        const result = await service.join(user.id, user.gender, step.preference, excluded);
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
        await this.confirm(service, this.matches[step.matchIndex % Math.max(1, this.matches.length)]);
        break;
      case 'release':
        await this.release(service, this.matches[step.matchIndex % Math.max(1, this.matches.length)]);
        break;
      case 'finish':
        if (user.place === 'chatting' && user.match) await this.finish(service, user.match);
        break;
      case 'block':
        await this.block(service, user, this.otherThan(user, step.matchIndex));
        break;
      case 'unblock':
        await this.unblock(service, user, this.otherThan(user, step.matchIndex));
        break;
      case 'restart':
        await this.redis.zrem(matchingKeys.leases, replicaId);
        this.generations[step.replicaIndex] = (this.generations[step.replicaIndex] ?? 0) + 1;
        await this.grantLease(step.replicaIndex);
        break;
    }
    this.count(step.operation);
    await this.compareWithRedis();
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
    const users = this.usersOf(match);
    const isValid = users.every((user) => user.match === match) && !this.separated.has(match);
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
    const claimed = this.usersOf(match).filter((user) => user.match === match && user.place === 'claimed');
    const waiting = await service.release(match);
    expect([...waiting].sort()).toEqual(claimed.filter(({ hasLeft }) => !hasLeft).map(({ id }) => id));
    for (const user of claimed) {
      Object.assign(user, { place: user.hasLeft ? 'nowhere' : 'searching', match: null, hasLeft: false });
    }
    for (const userId of waiting) {
      const user = this.requireUser(userId);
      await this.retry(service, user);
    }
  }

  private async finish(service: MatchQueueService, match: Match): Promise<void> {
    await service.finish(match);
    for (const user of this.usersOf(match)) Object.assign(user, { place: 'nowhere', match: null });
    const pair = pairOf(...match.userIds);
    if (!this.apart.has(pair)) this.formerPartners.add(pair);
  }

  /** Blocks as `BlocksService` does: the other replicas learn of it by the key of the pair only. */
  private async block(service: MatchQueueService, user: ModelUser, other: ModelUser): Promise<void> {
    const pair = pairOf(user.id, other.id);
    this.blocked.add(pair);
    this.apart.add(pair);
    this.formerPartners.delete(pair);
    const sessionId = await service.separate(user.id, other.id);
    const { match } = user;
    const areTogether = match !== null && match === other.match;
    expect(sessionId).toBe(areTogether && user.place === 'chatting' ? match.sessionId : null);
    if (!areTogether) return;
    this.count(`block while ${user.place}`);
    if (user.place === 'chatting') await this.finish(service, match);
    else this.separated.add(match);
  }

  /** Lifts a block as `BlocksService` does: the lists of both are read again, and their searches are retried. */
  private async unblock(service: MatchQueueService, user: ModelUser, other: ModelUser): Promise<void> {
    const pair = pairOf(user.id, other.id);
    this.blocked.delete(pair);
    this.apart.delete(pair);
    await service.allowAgain(user.id, other.id);
    for (const either of [user, other]) either.excludedIds = this.excludedFor(either);
    for (const either of [user, other]) if (either.place === 'searching') await this.retry(service, either);
  }

  private async retry(service: MatchQueueService, user: ModelUser): Promise<void> {
    const result = await service.retry(user.id, user.excludedIds);
    if (user.place === 'searching' && !this.isHeld(user)) expect(result).toEqual({ kind: 'idle' });
    else this.expectAttempt(user, result);
  }

  private otherThan(user: ModelUser, index: number): ModelUser {
    const others = this.users.filter((other) => other !== user);
    return others[index % others.length] ?? user;
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
    const compatible = this.users.filter((other) => this.isMatchable(user, other));
    const newPartners = compatible.filter((other) => !this.formerPartners.has(pairOf(user.id, other.id)));
    const eligible = newPartners.length > 0 ? newPartners : this.relaxAfterS === 0 ? compatible : [];
    this.count(eligible.length > 0 ? (newPartners.length > 0 ? 'matched' : 'matched again') : 'waits');
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
    const partner = this.requireUser(match.userIds[1]);
    expect(match.userIds[0]).toBe(user.id);
    expect(eligible).toContain(partner);
    expect(partner.since).toBe(Math.min(...eligible.map(({ since }) => since)));
    for (const one of [user, partner]) Object.assign(one, { place: 'claimed', match, hasLeft: false });
    this.matches.push(match);
  }

  private isMatchable(user: ModelUser, other: ModelUser): boolean {
    return (
      other !== user &&
      other.place === 'searching' &&
      this.isHeld(other) &&
      admits(user.preference, other.gender) &&
      admits(other.preference, user.gender) &&
      !this.blocked.has(pairOf(user.id, other.id))
    );
  }

  /** Checks that Redis agrees with the model, and that no matchable users are waiting. */
  private async compareWithRedis(): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const { id } of this.users) pipeline.hgetall(matchingKeys.user(id));
    const queues = (['male', 'female'] as const).flatMap((gender) =>
      (['both', 'male', 'female'] as const).map((preference) => matchingKeys.queue(gender, preference)),
    );
    for (const queue of queues) pipeline.zrange(queue, '0', '-1', 'WITHSCORES');
    const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply;
    });
    const entries = queues.flatMap((queue, index) => {
      const members = replies[this.users.length + index] as string[];
      return members.flatMap((member, place) =>
        place % 2 === 0 ? [{ id: Number(member), queue, since: Number(members[place + 1]) }] : [],
      );
    });
    for (const [index, user] of this.users.entries()) {
      const record = replies[index] as Record<string, string>;
      const own = entries.filter(({ id }) => id === user.id);
      expect(record.state).toBe(user.place === 'nowhere' ? undefined : user.place);
      if (user.place !== 'searching') {
        expect(own).toEqual([]);
        if (user.match) expect(record.session).toBe(user.match.sessionId);
        if (user.place !== 'nowhere' && user.since === 0) user.since = Number(record.since);
        continue;
      }
      const place = {
        id: user.id,
        queue: matchingKeys.queue(user.gender, user.preference),
        since: user.since,
      };
      expect(Number(record.since)).toBe(user.since);
      // A user whose replicas are all dead may still be in the queue until a scan removes them.
      if (this.isHeld(user) || own.length > 0) expect(own).toEqual([place]);
    }
    this.expectNoMatchablePair();
  }

  private expectNoMatchablePair(): void {
    const waiting = this.users.filter((user) => user.place === 'searching' && this.isHeld(user));
    const matchablePairs = waiting.flatMap((user) =>
      waiting
        .filter((other) => this.isMatchable(user, other))
        .filter((other) => this.relaxAfterS === 0 || !this.formerPartners.has(pairOf(user.id, other.id)))
        .map((other) => pairOf(user.id, other.id)),
    );
    expect(matchablePairs).toEqual([]);
  }

  private isHeld({ replicas }: ModelUser): boolean {
    return this.generations.some((_, index) => replicas.has(this.replicaId(index)));
  }

  private excludedFor({ id }: ModelUser): number[] {
    return this.users.map((other) => other.id).filter((other) => this.blocked.has(pairOf(id, other)));
  }

  private usersOf({ userIds }: Match): ModelUser[] {
    return [...userIds].sort((one, other) => one - other).map((id) => this.requireUser(id));
  }

  private requireUser(id: number): ModelUser {
    const found = this.users.find((user) => user.id === id);
    if (!found) throw new Error(`No user has the id ${id}`);
    return found;
  }

  private replicaId(index: number): string {
    return `replica-${index}.${this.generations[index]}`;
  }

  private serviceOf(replicaId: string): MatchQueueService {
    const settings = { REMATCH_COOLDOWN_S: 600, REMATCH_RELAX_AFTER_S: this.relaxAfterS } as Environment;
    return new MatchQueueService(this.redis, settings, { replicaId } as ReplicaLeaseService);
  }

  private async grantLease(index: number): Promise<void> {
    await this.redis.zadd(matchingKeys.leases, FAR_FUTURE_MS, this.replicaId(index));
  }

  private count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
