import type { Gender, Preference } from '@thaw/contract/scalars';
import type { Environment } from '../config/environment.config';
import {
  type Match,
  MatchQueueService,
  type MatchState,
} from '../modules/matching/application/match-queue.service';
import type { ReplicaLeaseService } from '../platform/realtime/replica-lease.service';
import { matchingKeys } from '../platform/redis/redis.keys';
import { createTestRedis, type TestRedis } from './test-redis.harness';

const genders: readonly Gender[] = ['male', 'female'];
const preferences: readonly Preference[] = ['both', 'male', 'female'];

/** Every combination of a user's gender and preference. Each pool of users has a queue for each combination. */
export const allCriteria = genders.flatMap((gender) =>
  preferences.map((preference) => ({ gender, preference })),
);

/** An expiry in ms since the epoch that no test reaches: the year 33658. */
export const FAR_FUTURE_MS = '1000000000000000';
/** An instant that has passed: 1 ms after the epoch. */
const LONG_AGO_MS = '1';

export interface QueueEntry {
  /** The Redis key of the queue. */
  queue: string;
  /** When the user joined, in ms since the epoch. */
  since: number;
}

/** @returns the match in the result of a search. @throws Error when the user was not matched */
export const requireMatch = (state: MatchState): Match => {
  if (state.kind !== 'matched') throw new Error(`Not matched but ${state.kind}`);
  return state.match;
};

/**
 * The match queue on a real Redis. Its replicas are not processes but only ids; a replica counts as alive while it has
 * a lease.
 */
export class TestMatchQueue {
  private constructor(readonly store: TestRedis) {}

  static async create(): Promise<TestMatchQueue> {
    return new TestMatchQueue(await createTestRedis());
  }

  /** Creates the service of one replica. */
  serviceOf(replicaId: string, settings: Partial<Environment> = {}): MatchQueueService {
    return new MatchQueueService(
      this.store.redis,
      // A search ignores cool-downs after REMATCH_RELAX_AFTER_S. Here this is the length of a cool-down, so that every
      // cool-down applies unless a test sets a shorter time.
      { REMATCH_COOLDOWN_S: 600, REMATCH_RELAX_AFTER_S: 600, ...settings } as Environment,
      { replicaId } as ReplicaLeaseService,
    );
  }

  async grantLeases(...replicaIds: string[]): Promise<void> {
    for (const replicaId of replicaIds)
      await this.store.redis.zadd(matchingKeys.leases, FAR_FUTURE_MS, replicaId);
  }

  async revokeLease(replicaId: string): Promise<void> {
    await this.store.redis.zrem(matchingKeys.leases, replicaId);
  }

  /**
   * The entries of all queues of the common pool (of users who are not flagged), by user id. The values are lists, so
   * that a test notices a user in two queues.
   */
  async readQueues(): Promise<Map<number, QueueEntry[]>> {
    const entries = new Map<number, QueueEntry[]>();
    for (const { gender, preference } of allCriteria) {
      const queue = matchingKeys.queue(gender, preference);
      // Redis returns members and scores alternately.
      const members = await this.store.redis.zrange(queue, '0', '-1', 'WITHSCORES');
      for (let index = 0; index < members.length; index += 2) {
        const userId = Number(members[index]);
        const entry = { queue, since: Number(members[index + 1]) };
        entries.set(userId, [...(entries.get(userId) ?? []), entry]);
      }
    }
    return entries;
  }

  /** The states of users; undefined for users who are neither searching nor in a match. */
  async readStates(...userIds: number[]): Promise<(string | undefined)[]> {
    // Any replica can read the records.
    return (await this.serviceOf('observer').readRecords(userIds)).map((record) => record?.state);
  }

  /** Makes the wait of a searching user longer by `byMs`, by moving the time of joining into the past. */
  async prolongWait(userId: number, byMs: number): Promise<void> {
    const key = matchingKeys.user(userId);
    const [gender, preference, since] = await this.store.redis.hmget(key, 'gender', 'preference', 'since');
    const earlierSince = Number(since) - byMs;
    await this.store.redis.hset(key, 'since', earlierSince);
    await this.store.redis.zadd(matchingKeys.queue(gender ?? '', preference ?? ''), earlierSince, userId);
  }

  /** Makes every claim (a match that is not confirmed yet) expire. */
  async expireClaims(): Promise<void> {
    await this.backdateAll(matchingKeys.claims);
  }

  /** Makes the next check of every chat due. */
  async makeChatChecksDue(): Promise<void> {
    await this.backdateAll(matchingKeys.chats);
  }

  private async backdateAll(sortedSetKey: string): Promise<void> {
    for (const member of await this.store.redis.zrange(sortedSetKey, '0', '-1'))
      await this.store.redis.zadd(sortedSetKey, LONG_AGO_MS, member);
  }
}
