import type { Gender, Preference } from '@thaw/contract/scalars';
import type { Match } from '../modules/matching/application/match-queue.service';
import type { Pool } from '../modules/matching/application/search-criteria.functions';
import { type Crowd, REPLICA_COUNT } from './match-queue-steps.fixture';

/** A user, with the state that the queue is expected to have for them. */
export interface ModelUser {
  id: number;
  gender: Gender;
  /** `claimed`: matched, but the match is not confirmed yet. */
  state: 'nowhere' | 'searching' | 'claimed' | 'chatting';
  preference: Preference;
  /** Users who are flagged by moderation are in the pool `care`: they are matched only with each other. */
  pool: Pool;
  isSuspended: boolean;
  /** When the user joined by the clock of Redis, in ms since the epoch; 0 while the model has not read it. */
  since: number;
  /** Ids of the replicas that hold sockets of the user according to Redis. A replica that restarts gets a new id. */
  replicaIds: Set<string>;
  /** The claimed or confirmed match. */
  match: Match | null;
  /**
   * Whether the user left while claimed. Then the chat ends at once if the match is confirmed, and the user is
   * `nowhere` if the claim is released.
   */
  hasLeft: boolean;
  /**
   * Users whom this user has blocked or who have blocked this user. As in the product, they are read only when the user
   * joins and when a block of or by the user is lifted, so newer blocks are missing.
   */
  excludedIds: number[];
}

const admits = (preference: Preference, gender: Gender): boolean =>
  preference === 'both' || preference === gender;

export const formatPair = (one: number, other: number): string =>
  one < other ? `${one}-${other}` : `${other}-${one}`;

/** The state of the reference model of the queue: its users, blocks and matches, and queries on them. */
export class MatchQueueCrowd {
  readonly users: readonly ModelUser[];
  /** Pairs of users, `<lower id>-<higher id>`, of whom one has blocked the other. */
  readonly blockedPairs = new Set<string>();
  /** Pairs for which Redis has a key that prevents a match. A block sets it, because `excludedIds` may be stale. */
  readonly pairsKeptApart = new Set<string>();
  /** Pairs that have chatted and are in the cool-down, during which they are not matched again. */
  readonly formerPairs = new Set<string>();
  /** All matches, oldest first. */
  readonly matches: Match[] = [];
  /** Claimed matches of which one user then blocked the other. They can no longer be confirmed. */
  readonly separatedMatches = new Set<Match>();
  /** How often each replica was restarted. A restart gives it a new id. */
  private readonly restartCounts = new Array<number>(REPLICA_COUNT).fill(0);

  constructor({ users, blocks }: Crowd) {
    // Ids count from 1, the indexes in `blocks` from 0.
    this.users = users.map(({ gender, isFlagged }, index) => ({
      id: index + 1,
      gender,
      state: 'nowhere',
      preference: 'both',
      pool: isFlagged ? 'care' : 'common',
      isSuspended: false,
      since: 0,
      replicaIds: new Set(),
      match: null,
      hasLeft: false,
      excludedIds: [],
    }));
    for (const [index, otherIndex] of blocks) this.blockedPairs.add(formatPair(index + 1, otherIndex + 1));
    for (const user of this.users) user.excludedIds = this.listBlockedIds(user);
  }

  getReplicaId(index: number): string {
    return `replica-${index}.${this.restartCounts[index]}`;
  }

  restartReplica(index: number): void {
    this.restartCounts[index] = (this.restartCounts[index] ?? 0) + 1;
  }

  /** Whether a live replica holds a socket of the user. */
  isConnected({ replicaIds }: ModelUser): boolean {
    return this.restartCounts.some((_, index) => replicaIds.has(this.getReplicaId(index)));
  }

  listBlockedIds({ id }: ModelUser): number[] {
    return this.users
      .map((other) => other.id)
      .filter((otherId) => this.blockedPairs.has(formatPair(id, otherId)));
  }

  /** The users of a match, in order of their ids. */
  getUsers({ userIds }: Match): ModelUser[] {
    return [...userIds].sort((one, other) => one - other).map((id) => this.requireUser(id));
  }

  requireUser(id: number): ModelUser {
    const found = this.users.find((user) => user.id === id);
    if (!found) throw new Error(`No user has the id ${id}`);
    return found;
  }

  /** Chooses one of the other users by `index`, modulo their number. */
  chooseOther(user: ModelUser, index: number): ModelUser {
    const others = this.users.filter((other) => other !== user);
    return others[index % others.length]!; // a crowd has at least two users
  }

  /** The match `index` places before the newest, modulo the number of matches; undefined if there is no match yet. */
  chooseMatch(index: number): Match | undefined {
    const { length } = this.matches;
    return length === 0 ? undefined : this.matches[length - 1 - (index % length)];
  }

  /** Whether a cool-down keeps the users from being matched again. */
  areInCooldown(user: ModelUser, other: ModelUser): boolean {
    return this.formerPairs.has(formatPair(user.id, other.id));
  }

  /** Whether a search of `user` may find `other`. Ignores cool-downs. */
  isMatchable(user: ModelUser, other: ModelUser): boolean {
    return (
      other !== user &&
      other.state === 'searching' &&
      this.isConnected(other) &&
      user.pool === other.pool &&
      admits(user.preference, other.gender) &&
      admits(other.preference, user.gender) &&
      !this.blockedPairs.has(formatPair(user.id, other.id))
    );
  }

  /** Pairs of searching users who may be matched with each other. Each pair is listed twice, once for each user. */
  listMatchablePairs({ ignoresCooldowns }: { ignoresCooldowns: boolean }): string[] {
    const searching = this.users.filter((user) => user.state === 'searching' && this.isConnected(user));
    return searching.flatMap((user) =>
      searching
        .filter((other) => this.isMatchable(user, other))
        .filter((other) => ignoresCooldowns || !this.areInCooldown(user, other))
        .map((other) => formatPair(user.id, other.id)),
    );
  }
}
