import type { Gender, Preference } from '@thaw/contract/scalars';
import type { Match } from '../modules/matching/application/match-queue.service';
import type { Pool } from '../modules/matching/application/search-criteria.functions';
import { type Crowd, REPLICAS } from './match-queue-steps.fixture';

export interface ModelUser {
  id: number;
  gender: Gender;
  place: 'nowhere' | 'searching' | 'claimed' | 'chatting';
  preference: Preference;
  pool: Pool;
  isSuspended: boolean;
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

export const formatPair = (one: number, other: number): string =>
  one < other ? `${one}-${other}` : `${other}-${one}`;

/** The state of a reference model of the queue, and what follows from it. */
export class MatchQueueCrowd {
  readonly users: readonly ModelUser[];
  /** Pairs of users, `<lower id>-<higher id>`, of whom one has blocked the other. */
  readonly blocked = new Set<string>();
  /** Blocked pairs whose key in Redis keeps them apart. */
  readonly apart = new Set<string>();
  readonly formerPartners = new Set<string>();
  readonly matches: Match[] = [];
  /** Claims of users of whom one has blocked the other since. */
  readonly separated = new Set<Match>();
  /** How often each replica was restarted. A restart gives it a new id. */
  private readonly generations = new Array<number>(REPLICAS).fill(0);

  constructor({ users, blocks }: Crowd) {
    this.users = users.map(({ gender, isFlagged }, index) => ({
      id: index + 1,
      gender,
      place: 'nowhere',
      preference: 'both',
      pool: isFlagged ? 'care' : 'common',
      isSuspended: false,
      since: 0,
      replicas: new Set(),
      match: null,
      hasLeft: false,
      excludedIds: [],
    }));
    for (const [one, other] of blocks) this.blocked.add(formatPair(one + 1, other + 1));
    for (const user of this.users) user.excludedIds = this.listExcluded(user);
  }

  getReplicaId(index: number): string {
    return `replica-${index}.${this.generations[index]}`;
  }

  restart(index: number): void {
    this.generations[index] = (this.generations[index] ?? 0) + 1;
  }

  /** Whether a live replica holds a socket of the user. */
  isHeld({ replicas }: ModelUser): boolean {
    return this.generations.some((_, index) => replicas.has(this.getReplicaId(index)));
  }

  listExcluded({ id }: ModelUser): number[] {
    return this.users.map((other) => other.id).filter((other) => this.blocked.has(formatPair(id, other)));
  }

  /** The users of a match by id. */
  getUsers({ userIds }: Match): ModelUser[] {
    return [...userIds].sort((one, other) => one - other).map((id) => this.requireUser(id));
  }

  requireUser(id: number): ModelUser {
    const found = this.users.find((user) => user.id === id);
    if (!found) throw new Error(`No user has the id ${id}`);
    return found;
  }

  chooseOther(user: ModelUser, index: number): ModelUser {
    const others = this.users.filter((other) => other !== user);
    return others[index % others.length] ?? user;
  }

  /** The match that a step chooses; undefined while there was none. */
  matchAt(index: number): Match | undefined {
    return this.matches.at(-1 - (index % Math.max(1, this.matches.length)));
  }

  wereTogether(user: ModelUser, other: ModelUser): boolean {
    return this.formerPartners.has(formatPair(user.id, other.id));
  }

  /** Whether the other user is searching and may be matched with the user, cool-downs aside. */
  isMatchable(user: ModelUser, other: ModelUser): boolean {
    return (
      other !== user &&
      other.place === 'searching' &&
      this.isHeld(other) &&
      user.pool === other.pool &&
      admits(user.preference, other.gender) &&
      admits(other.preference, user.gender) &&
      !this.blocked.has(formatPair(user.id, other.id))
    );
  }

  /** Pairs that are searching and might be matched. @param canMeetAgain whether cool-downs are ignored at once */
  listMatchablePairs(canMeetAgain: boolean): string[] {
    const waiting = this.users.filter((user) => user.place === 'searching' && this.isHeld(user));
    return waiting.flatMap((user) =>
      waiting
        .filter((other) => this.isMatchable(user, other))
        .filter((other) => canMeetAgain || !this.wereTogether(user, other))
        .map((other) => formatPair(user.id, other.id)),
    );
  }
}
