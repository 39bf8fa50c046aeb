import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { SearchCriteria } from './search-criteria.functions';
import { type Exclusions, MUST_BE_READ } from './search-exclusions.service';

/** A user who is searching, or who is matched and waits for the chat to start. */
export interface WaitingUser {
  criteria: SearchCriteria;
  /** When the search started; null once the user is matched. */
  since: Date | null;
  /** Set while a cool-down prevents a match. */
  retryTimer: NodeJS.Timeout | undefined;
  /** The users with whom a block forbids a match, as last read. */
  exclusions: Exclusions;
  /** Set by a check that found no record of the user in Redis. `track` replaces the object, which resets this. */
  hadNoRecord?: true;
}

/** The waiting users with a socket on this replica. The users of all replicas are in the match queue in Redis. */
@Injectable()
export class WaitingUserRegistry implements OnApplicationShutdown {
  private readonly users = new Map<number, WaitingUser>();

  onApplicationShutdown(): void {
    for (const userId of this.listIds()) this.untrack(userId);
  }

  get count(): number {
    return this.users.size;
  }

  has(userId: number): boolean {
    return this.users.has(userId);
  }

  find(userId: number): WaitingUser | undefined {
    return this.users.get(userId);
  }

  listIds(): number[] {
    return [...this.users.keys()];
  }

  list(): [userId: number, user: WaitingUser][] {
    return [...this.users];
  }

  /** Tracks a user. The new object replaces the one of a user who is tracked already, and stops its timer. */
  track(userId: number, user: WaitingUser): void {
    this.untrack(userId);
    this.users.set(userId, user);
  }

  untrack(userId: number): void {
    clearTimeout(this.users.get(userId)?.retryTimer);
    this.users.delete(userId);
  }

  /** Has the exclusions of all users read again before they are used. */
  expireExclusions(): void {
    for (const user of this.users.values()) user.exclusions = { ...user.exclusions, readAt: MUST_BE_READ };
  }
}
