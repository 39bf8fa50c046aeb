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

interface ModelUser {
  id: number;
  gender: Gender;
  at: 'nowhere' | 'searching' | 'claimed' | 'chatting';
  preference: Preference;
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
  readonly seen = new Map<string, number>();
  private readonly people: ModelUser[];
  private readonly blocked = new Set<string>();
  /** Blocked pairs whose key in Redis keeps them apart. */
  private readonly apart = new Set<string>();
  private readonly met = new Set<string>();
  private readonly matches: Match[] = [];
  /** Claims of users of whom one has blocked the other since. */
  private readonly separated = new Set<Match>();
  private readonly generations = new Array<number>(REPLICAS).fill(0);

  /** @param relaxS seconds after which a cool-down may be ignored: 0, or more than the test takes. */
  constructor(
    private readonly redis: Redis,
    { genders, blocks }: Crowd,
    private readonly relaxS: number,
  ) {
    this.people = genders.map((gender, index) => ({
      id: index + 1,
      gender,
      at: 'nowhere',
      preference: 'both',
      since: 0,
      replicas: new Set(),
      match: null,
      hasLeft: false,
      excludedIds: [],
    }));
    for (const [one, other] of blocks) this.blocked.add(pairOf(one + 1, other + 1));
    for (const person of this.people) person.excludedIds = this.excludedFor(person);
  }

  async start(): Promise<void> {
    for (let index = 0; index < REPLICAS; index += 1) await this.renew(index);
  }

  async take(step: Step): Promise<void> {
    const person = this.people[step.who % this.people.length];
    if (!person) return;
    const replicaId = this.replicaId(step.replica);
    const service = this.service(replicaId);
    if (step.what === 'join') person.excludedIds = this.excludedFor(person);
    const excluded = person.excludedIds;
    switch (step.what) {
      case 'join': {
        const place = await service.join(person.id, person.gender, step.preference, excluded);
        if (person.at === 'claimed') person.hasLeft = false;
        if (person.at === 'nowhere') person.replicas.clear();
        if (person.at === 'nowhere' || person.at === 'searching') {
          person.replicas.add(replicaId);
          this.search(person, step.preference);
        }
        this.compareAttempt(person, place);
        break;
      }
      case 'arrive': {
        const place = await service.resume(person.id, excluded);
        if (person.at === 'searching' || person.at === 'claimed') person.replicas.add(replicaId);
        this.compareAttempt(person, place);
        break;
      }
      case 'retry': {
        await this.retry(service, person);
        break;
      }
      case 'depart':
        await service.depart(person.id);
        if (person.at !== 'chatting') person.replicas.delete(replicaId);
        break;
      case 'leave':
        await this.leave(service, person);
        break;
      case 'confirm':
        await this.confirm(service, this.matches[step.which % Math.max(1, this.matches.length)]);
        break;
      case 'release':
        await this.release(service, this.matches[step.which % Math.max(1, this.matches.length)]);
        break;
      case 'skip':
        if (person.at === 'chatting' && person.match) await this.finish(service, person.match);
        break;
      case 'block':
        await this.block(service, person, this.otherThan(person, step.which));
        break;
      case 'unblock':
        await this.unblock(service, person, this.otherThan(person, step.which));
        break;
      case 'kill':
        await this.redis.zrem(matchingKeys.leases, replicaId);
        this.generations[step.replica] = (this.generations[step.replica] ?? 0) + 1;
        await this.renew(step.replica);
        break;
    }
    this.count(step.what);
    await this.compare();
  }

  private async leave(service: MatchQueueService, person: ModelUser): Promise<void> {
    const { kind } = await service.leave(person.id);
    switch (person.at) {
      case 'nowhere':
        expect(kind).toBe('idle');
        break;
      case 'searching':
        expect(kind).toBe('left');
        person.at = 'nowhere';
        break;
      case 'claimed':
        expect(kind).toBe('claimed');
        person.hasLeft = true;
        break;
      case 'chatting':
        expect(kind).toBe('chatting');
        break;
    }
  }

  private async confirm(service: MatchQueueService, match: Match | undefined): Promise<void> {
    if (!match) return;
    const both = this.both(match);
    const isStanding = both.every((person) => person.match === match) && !this.separated.has(match);
    const left = await service.confirm(match);
    if (!isStanding) {
      expect(left).toBeNull();
      return;
    }
    expect([...(left ?? [])].sort()).toEqual(both.filter(({ hasLeft }) => hasLeft).map(({ id }) => id));
    for (const person of both) Object.assign(person, { at: 'chatting', hasLeft: false });
    // A user who left after the match has skipped the chat.
    if (left && left.length > 0) await this.finish(service, match);
  }

  /** Releases an expired claim and retries its users, as the sweeping replica does. */
  private async release(service: MatchQueueService, match: Match | undefined): Promise<void> {
    if (!match) return;
    const claimed = this.both(match).filter((person) => person.match === match && person.at === 'claimed');
    const waiting = await service.release(match);
    expect([...waiting].sort()).toEqual(claimed.filter(({ hasLeft }) => !hasLeft).map(({ id }) => id));
    for (const person of claimed) {
      Object.assign(person, { at: person.hasLeft ? 'nowhere' : 'searching', match: null, hasLeft: false });
    }
    for (const userId of waiting) {
      const person = this.person(userId);
      await this.retry(service, person);
    }
  }

  private async finish(service: MatchQueueService, match: Match): Promise<void> {
    await service.finish(match);
    for (const person of this.both(match)) Object.assign(person, { at: 'nowhere', match: null });
    const pair = pairOf(...match.userIds);
    if (!this.apart.has(pair)) this.met.add(pair);
  }

  /** Blocks as `BlocksService` does: the other replicas learn of it by the key of the pair only. */
  private async block(service: MatchQueueService, person: ModelUser, other: ModelUser): Promise<void> {
    const pair = pairOf(person.id, other.id);
    this.blocked.add(pair);
    this.apart.add(pair);
    this.met.delete(pair);
    const sessionId = await service.separate(person.id, other.id);
    const { match } = person;
    const areTogether = match !== null && match === other.match;
    expect(sessionId).toBe(areTogether && person.at === 'chatting' ? match.sessionId : null);
    if (!areTogether) return;
    this.count(`block while ${person.at}`);
    if (person.at === 'chatting') await this.finish(service, match);
    else this.separated.add(match);
  }

  /** Lifts a block as `BlocksService` does: the lists of both are read again, and their searches are retried. */
  private async unblock(service: MatchQueueService, person: ModelUser, other: ModelUser): Promise<void> {
    const pair = pairOf(person.id, other.id);
    this.blocked.delete(pair);
    this.apart.delete(pair);
    await service.allowAgain(person.id, other.id);
    for (const either of [person, other]) either.excludedIds = this.excludedFor(either);
    for (const either of [person, other]) if (either.at === 'searching') await this.retry(service, either);
  }

  private async retry(service: MatchQueueService, person: ModelUser): Promise<void> {
    const place = await service.retry(person.id, person.excludedIds);
    if (person.at === 'searching' && !this.isHeld(person)) expect(place).toEqual({ kind: 'idle' });
    else this.compareAttempt(person, place);
  }

  private otherThan(person: ModelUser, which: number): ModelUser {
    const others = this.people.filter((other) => other !== person);
    return others[which % others.length] ?? person;
  }

  private search(person: ModelUser, preference: Preference): void {
    if (person.at === 'nowhere') person.since = 0; // set by Redis
    person.at = 'searching';
    person.preference = preference;
  }

  /** Checks that the result of an attempt is the expected one. */
  private compareAttempt(person: ModelUser, place: MatchState): void {
    switch (person.at) {
      case 'nowhere':
        expect(place).toEqual({ kind: 'idle' });
        return;
      case 'claimed':
      case 'chatting':
        expect(place).toMatchObject({ kind: person.at, sessionId: person.match?.sessionId });
        return;
      case 'searching':
        break;
    }
    const fitting = this.people.filter((other) => this.isMatchable(person, other));
    const fresh = fitting.filter((other) => !this.met.has(pairOf(person.id, other.id)));
    const eligible = fresh.length > 0 ? fresh : this.relaxS === 0 ? fitting : [];
    this.count(eligible.length > 0 ? (fresh.length > 0 ? 'matched' : 'matched again') : 'waits');
    if (eligible.length === 0) {
      expect(place).toMatchObject({ kind: 'searching' });
      const since = place.kind === 'searching' ? place.since.getTime() : 0;
      if (person.since === 0) person.since = since;
      expect(since).toBe(person.since);
      return;
    }
    expect(place).toMatchObject({ kind: 'matched' });
    if (place.kind !== 'matched') return;
    const { match } = place;
    const partner = this.person(match.userIds[1]);
    expect(match.userIds[0]).toBe(person.id);
    expect(eligible).toContain(partner);
    expect(partner.since).toBe(Math.min(...eligible.map(({ since }) => since)));
    for (const one of [person, partner]) Object.assign(one, { at: 'claimed', match, hasLeft: false });
    this.matches.push(match);
  }

  private isMatchable(person: ModelUser, other: ModelUser): boolean {
    return (
      other !== person &&
      other.at === 'searching' &&
      this.isHeld(other) &&
      admits(person.preference, other.gender) &&
      admits(other.preference, person.gender) &&
      !this.blocked.has(pairOf(person.id, other.id))
    );
  }

  /** Checks that Redis agrees with the model, and that no matchable users are waiting. */
  private async compare(): Promise<void> {
    const reading = this.redis.pipeline();
    for (const { id } of this.people) reading.hgetall(matchingKeys.user(id));
    const queues = (['male', 'female'] as const).flatMap((gender) =>
      (['both', 'male', 'female'] as const).map((preference) => matchingKeys.queue(gender, preference)),
    );
    for (const queue of queues) reading.zrange(queue, '0', '-1', 'WITHSCORES');
    const replies = ((await reading.exec()) ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply;
    });
    const entries = queues.flatMap((queue, index) => {
      const members = replies[this.people.length + index] as string[];
      return members.flatMap((member, place) =>
        place % 2 === 0 ? [{ id: Number(member), queue, since: Number(members[place + 1]) }] : [],
      );
    });
    for (const [index, person] of this.people.entries()) {
      const record = replies[index] as Record<string, string>;
      const own = entries.filter(({ id }) => id === person.id);
      expect(record.state).toBe(person.at === 'nowhere' ? undefined : person.at);
      if (person.at !== 'searching') {
        expect(own).toEqual([]);
        if (person.match) expect(record.session).toBe(person.match.sessionId);
        if (person.at !== 'nowhere' && person.since === 0) person.since = Number(record.since);
        continue;
      }
      const place = {
        id: person.id,
        queue: matchingKeys.queue(person.gender, person.preference),
        since: person.since,
      };
      expect(Number(record.since)).toBe(person.since);
      // A user whose replicas are all dead may still be in the queue until a scan removes them.
      if (this.isHeld(person) || own.length > 0) expect(own).toEqual([place]);
    }
    this.expectNoUserLeftOver();
  }

  private expectNoUserLeftOver(): void {
    const waiting = this.people.filter((person) => person.at === 'searching' && this.isHeld(person));
    const leftOver = waiting.flatMap((person) =>
      waiting
        .filter((other) => this.isMatchable(person, other))
        .filter((other) => this.relaxS === 0 || !this.met.has(pairOf(person.id, other.id)))
        .map((other) => pairOf(person.id, other.id)),
    );
    expect(leftOver).toEqual([]);
  }

  private isHeld({ replicas }: ModelUser): boolean {
    return this.generations.some((_, index) => replicas.has(this.replicaId(index)));
  }

  private excludedFor({ id }: ModelUser): number[] {
    return this.people.map((other) => other.id).filter((other) => this.blocked.has(pairOf(id, other)));
  }

  private both({ userIds }: Match): ModelUser[] {
    return [...userIds].sort((one, other) => one - other).map((id) => this.person(id));
  }

  private person(id: number): ModelUser {
    const found = this.people.find((person) => person.id === id);
    if (!found) throw new Error(`Nobody has the id ${id}`);
    return found;
  }

  private replicaId(index: number): string {
    return `replica-${index}.${this.generations[index]}`;
  }

  private service(replicaId: string): MatchQueueService {
    const settings = { REMATCH_COOLDOWN_S: 600, REMATCH_RELAX_AFTER_S: this.relaxS } as Environment;
    return new MatchQueueService(this.redis, settings, { replicaId } as ReplicaLeaseService);
  }

  private async renew(index: number): Promise<void> {
    await this.redis.zadd(matchingKeys.leases, '1000000000000000', this.replicaId(index));
  }

  private count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}
