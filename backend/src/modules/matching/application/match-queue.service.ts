import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Gender, Preference } from '@thaw/contract/scalars';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import type { MatchedPair } from '../../../platform/process-events/process-event-map.types';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { SocketDirectoryRepository } from '../../../platform/realtime/socket-directory.repository';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { openBatch, type RedisBatch } from '../../../platform/redis/redis-nodes.functions';
import { buildSessionId, matchingKeys } from '../../../platform/redis/redis.keys';
import type { RedisScript } from '../../../platform/redis/redis-script.model';
import {
  allowAgainScript,
  changePoolScript,
  confirmScript,
  departScript,
  ENDED_FOR_SAFETY,
  finishScript,
  joinScript,
  type JoinReply,
  leaveQueueScript,
  RECENT_PARTNER_TTL_MS,
  releaseClaimScript,
  resumeScript,
  retryScript,
  separateScript,
  sweepScript,
  takeChatsDueForCheckScript,
  takeOverdueClaimsScript,
} from '../infrastructure/match-queue.scripts';
import {
  getPoolName,
  type Pool,
  parsePoolName,
  queueCriteria,
  type SearchCriteria,
  type WaitingCounts,
} from './search-criteria.functions';

/** A claim (a match whose chat has not started yet) that is not confirmed within this time expires. */
const CLAIM_TTL_MS = 3_000;
/** A chat is checked this often: it may have ended without `finish`, for example because a process died. */
const CHECK_CHAT_EVERY_MS = 600_000;
/** The socket directory adds no grace period: the scripts keep the place of a user without sockets for 35 s. */
const DIRECTORY_GRACE_MS = 0;

/** A `MatchedPair` in which the user whose call made the match comes first. */
export type Match = MatchedPair;

/** A user's state in matching. */
export type MatchState =
  | { kind: 'idle' }
  | {
      kind: 'searching';
      criteria: SearchCriteria;
      /** When the search started. */
      since: Date;
      /** Set if recent partners were skipped, because of their cool-down: the time until one of them may be chosen. */
      retryInMs: number | null;
    }
  /** Matched by this call, whose caller starts the chat. */
  | { kind: 'matched'; criteria: SearchCriteria; match: Match }
  /** Matched by another call; the chat is about to start. */
  | { kind: 'claimed'; criteria: SearchCriteria; sessionId: string }
  | { kind: 'chatting'; criteria: SearchCriteria; sessionId: string };

/** The fields of a user's record that `readRecords` returns. */
export interface QueueRecord {
  state: 'searching' | 'claimed' | 'chatting';
  sessionId: string | null;
  pool: Pool;
}

export type LeaveResult =
  /** `left`: the search has ended; `idle`: there was none. */
  | { kind: 'left' | 'idle' }
  /** Too late: the user has a match. If it is still a claim, `confirm` will return the user as one who has left. */
  | { kind: 'claimed' | 'chatting'; sessionId: string; msSinceMatch: number };

/** KEYS of every script of matching. One key is enough, because all keys of matching share its hash tag. */
const KEYS = [matchingKeys.replicas];

/**
 * The match queue in Redis. Each user who searches or chats has one record with their state, and every change is one
 * atomic script. A new match is a claim until `confirm` is called. This class does not start the chats of matches.
 *
 * A user's place in the queue is the time at which their search started. The place is held by the replicas that have a
 * socket of the user. A user without such a replica is parked: not matched, and forgotten after 35 s
 * (docs/product-decisions.md, A42). Users are matched within their pool only: users whom moderation has flagged in
 * `care`, all others in `common`.
 */
@Injectable()
export class MatchQueueService {
  /** Cool-down: for this long after their chat, two users are not matched again (docs/product-decisions.md, A41). */
  private readonly coolDownMs: number;
  /** A user who has searched for this long may be matched in spite of a cool-down. */
  private readonly ignoreCoolDownAfterMs: number;
  /** Which replicas hold sockets of users who are searching or claimed. */
  private readonly directory: SocketDirectoryRepository<JoinReply>;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly lease: ReplicaLeaseService,
  ) {
    this.coolDownMs = environment.REMATCH_COOLDOWN_S * 1_000;
    this.ignoreCoolDownAfterMs = environment.REMATCH_RELAX_AFTER_S * 1_000;
    this.directory = new SocketDirectoryRepository<JoinReply>({
      name: 'places in the queue',
      redis,
      lease,
      // All users share one hash slot, because one script changes the records of two users.
      slots: { count: 1, getPrefix: () => matchingKeys.prefix, findSlot: () => 0 },
      scripts: { join: resumeScript, leave: departScript, sweep: sweepScript },
      graceAfterLossMs: DIRECTORY_GRACE_MS,
      // The scripts record no replica for a user who is idle or chatting.
      isRecorded: ([state]) => state !== 'idle' && state !== 'chatting',
    });
  }

  /**
   * Matches the user with the longest-waiting user who is compatible both ways, or queues them.
   * @param excludedIds users never to match with (blocked by or blocking the user).
   */
  async join(
    userId: number,
    gender: Gender,
    preference: Preference,
    excludedIds: readonly number[] = [],
    pool: Pool = 'common',
  ): Promise<MatchState> {
    const criteria = [gender, preference, getPoolName(pool)];
    return this.holdPlace(joinScript, userId, [...this.buildMatchParameters(), ...criteria, ...excludedIds]);
  }

  /**
   * Records that this replica holds a socket of the user, and returns the user's state. A searching user keeps their
   * place, and matching is retried.
   * @param excludedIds as for `join`; null if they are not known, in which case matching is not retried.
   */
  async resume(userId: number, excludedIds: readonly number[] | null = []): Promise<MatchState> {
    // The script retries matching only if it gets parameters for it.
    const parameters = excludedIds === null ? [] : [...this.buildMatchParameters(), ...excludedIds];
    return this.holdPlace(resumeScript, userId, parameters);
  }

  /** Runs a script that also records this replica as a holder of the user's place. */
  private async holdPlace(
    script: RedisScript<JoinReply>,
    userId: number,
    parameters: readonly (string | number)[],
  ): Promise<MatchState> {
    const reply = await this.directory.joinWith(script, String(userId), this.lease.replicaId, parameters);
    return toMatchState(userId, reply);
  }

  /** Parameters of every script that may make a match. */
  private buildMatchParameters(): (string | number)[] {
    const sessionId = buildSessionId(randomUUID());
    return [sessionId, CLAIM_TTL_MS, this.ignoreCoolDownAfterMs];
  }

  /**
   * Records that the user's last socket on this replica has closed. A searching user is parked if no other replica has
   * a socket of theirs. Never rejects: a departure that cannot be recorded now is recorded later.
   */
  async depart(userId: number): Promise<void> {
    await this.directory.leave(String(userId), this.lease.replicaId, DIRECTORY_GRACE_MS);
  }

  /** Stops holding the place of a user whose chat has started or whose search is over: Redis has removed the place. */
  forget(userId: number): void {
    this.directory.forget(String(userId), this.lease.replicaId);
  }

  /** About once a second: records what could not be recorded before, and evicts dead replicas. Never rejects. */
  @OnProcessEvent('LeaseRenewed')
  async reconcile(): Promise<void> {
    await Promise.all([this.directory.sweep(this.lease.maySweep), this.directory.reconcile()]);
  }

  /** Compares all places that this replica holds with Redis, which may have lost some of them in an outage. */
  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async reconcileAll(): Promise<void> {
    await this.directory.reconcileAll();
  }

  /** Ends the user's search, unless a match was made. */
  async leave(userId: number): Promise<LeaveResult> {
    const reply = await leaveQueueScript.run(this.redis, KEYS, [userId]);
    if (reply.length === 1) {
      const [kind] = reply; // `left` or `idle`
      this.forget(userId);
      return { kind };
    }
    const [kind, sessionId, msSinceMatch] = reply;
    return { kind, sessionId, msSinceMatch };
  }

  /** Retries matching for a searching user. */
  async retry(userId: number, excludedIds: readonly number[] = []): Promise<MatchState> {
    const parameters = [userId, ...this.buildMatchParameters(), ...excludedIds];
    const reply = await retryScript.run(this.redis, KEYS, parameters);
    return toMatchState(userId, reply);
  }

  /**
   * Moves a user to a pool. For a searching user, matching is retried there. The start of their search, and so their
   * place, does not change.
   * @param excludedIds as for `join`.
   */
  async changePool(userId: number, pool: Pool, excludedIds: readonly number[] = []): Promise<MatchState> {
    const parameters = [userId, ...this.buildMatchParameters(), getPoolName(pool), ...excludedIds];
    const reply = await changePoolScript.run(this.redis, KEYS, parameters);
    return toMatchState(userId, reply);
  }

  /**
   * Confirms a match after its chat has been created.
   * @returns the users who have left the queue since the match; null if the claim has been released, or one user has
   * blocked the other.
   */
  async confirm({ sessionId, userIds }: Match): Promise<number[] | null> {
    const parameters = [sessionId, ...userIds, CHECK_CHAT_EVERY_MS];
    const [outcome, ...userIdsWhoLeft] = await confirmScript.run(this.redis, KEYS, parameters);
    return outcome === 'ok' ? userIdsWhoLeft.map(Number) : null;
  }

  /** @returns overdue claims. Each is overdue again after `CLAIM_TTL_MS`, unless it is confirmed or released before. */
  async takeOverdueClaims(): Promise<Match[]> {
    return (await takeOverdueClaimsScript.run(this.redis, KEYS, [CLAIM_TTL_MS])).map(toMatch);
  }

  /** @returns chats that are due for a check. Each is due again after `CHECK_CHAT_EVERY_MS`, unless it is finished. */
  async takeChatsDueForCheck(): Promise<Match[]> {
    return (await takeChatsDueForCheckScript.run(this.redis, KEYS, [CHECK_CHAT_EVERY_MS])).map(toMatch);
  }

  /** Releases a match whose chat does not exist. @returns the users who are searching again. */
  async release({ sessionId, userIds }: Match): Promise<number[]> {
    return (await releaseClaimScript.run(this.redis, KEYS, [sessionId, ...userIds])).map(Number);
  }

  /** Frees the users of an ended chat, and starts their cool-down. */
  async finish({ sessionId, userIds }: Match): Promise<void> {
    await finishScript.run(this.redis, KEYS, [sessionId, this.coolDownMs, ...userIds]);
  }

  /**
   * Keeps two users apart after a block: for an hour, they are not matched with each other. After that hour, the
   * `excludedIds` of every search contain the block. If the two are claimed, `confirm` refuses their match.
   * @returns the session of the chat that the two are in; null if they are in none.
   */
  async separate(userId: number, otherId: number): Promise<string | null> {
    const [state, sessionId] = await separateScript.run(this.redis, KEYS, [userId, otherId]);
    return state === 'chatting' && sessionId ? sessionId : null;
  }

  /** Undoes `separate`; but if the two were claimed at the block, `confirm` still refuses their match. */
  async allowAgain(userId: number, otherId: number): Promise<void> {
    await allowAgainScript.run(this.redis, KEYS, [userId, otherId]);
  }

  /** Counts the users in each queue, without parked ones. */
  async countWaiting(): Promise<WaitingCounts> {
    const batch = openBatch(this.redis);
    for (const criteria of queueCriteria) batch.zcard(getQueueKey(criteria));
    const counts = await execute(batch);
    return queueCriteria.map((criteria, index) => ({ ...criteria, count: Number(counts[index]) }));
  }

  /**
   * Returns how long the longest-waiting user has waited, in ms by the clock of this process; 0 if the queues are
   * empty.
   */
  async readLongestWaitMs(): Promise<number> {
    const batch = openBatch(this.redis);
    for (const criteria of queueCriteria) batch.zrange(getQueueKey(criteria), '0', '0', 'WITHSCORES');
    // The user at the head of each queue, with the start of their search; empty for an empty queue.
    const heads = (await execute(batch)) as string[][];
    const starts = heads.flatMap(([, since]) => (since === undefined ? [] : [Number(since)]));
    // Starts are times of the clock of Redis, which may be ahead of the clock of this process.
    return starts.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...starts));
  }

  /** @returns for each of the users, the partner in their chat; null for users who are not in a chat. */
  async readPartners(userIds: readonly number[]): Promise<(number | null)[]> {
    const batch = openBatch(this.redis);
    for (const userId of userIds) batch.hmget(matchingKeys.user(userId), 'state', 'partner');
    const records = (await execute(batch)) as [state: string | null, partner: string | null][];
    return records.map(([state, partner]) => (state === 'chatting' && partner ? Number(partner) : null));
  }

  /** Whether the two are in a chat together, or were within the last ten minutes (`RECENT_PARTNER_TTL_MS`). */
  async areOrRecentlyWerePartners(userId: number, otherId: number): Promise<boolean> {
    const [[partnerId], recent] = await Promise.all([
      this.readPartners([userId]),
      this.redis.exists(matchingKeys.recentPartners(userId, otherId)),
    ]);
    return partnerId === otherId || recent === 1;
  }

  /**
   * Records that the chat of the two was ended for safety, because one of them stated that they are under 18. Has to be
   * called before `finish`, which then keeps this mark.
   */
  async markEndedForSafety(userId: number, otherId: number): Promise<void> {
    await this.redis.set(
      matchingKeys.recentPartners(userId, otherId),
      ENDED_FOR_SAFETY,
      'PX',
      RECENT_PARTNER_TTL_MS,
    );
  }

  /** Whether a chat of the two was ended for safety within the last ten minutes. */
  async wasChatEndedForSafety(userId: number, otherId: number): Promise<boolean> {
    return (await this.redis.get(matchingKeys.recentPartners(userId, otherId))) === ENDED_FOR_SAFETY;
  }

  /** @returns the record of each user, in the same order; null for users without one. */
  async readRecords(userIds: readonly number[]): Promise<(QueueRecord | null)[]> {
    const batch = openBatch(this.redis);
    for (const userId of userIds) batch.hmget(matchingKeys.user(userId), 'state', 'session', 'pool');
    const records = (await execute(batch)) as [QueueRecord['state'] | null, string | null, string | null][];
    return records.map(([state, sessionId, poolName]) =>
      state ? { state, sessionId, pool: parsePoolName(poolName) } : null,
    );
  }
}

const getQueueKey = ({ gender, preference, pool }: SearchCriteria): string =>
  matchingKeys.queue(gender, preference, getPoolName(pool));

/** @returns the results of the commands, in order. @throws the error of the first command that failed. */
const execute = async (batch: RedisBatch): Promise<unknown[]> => {
  const replies = (await batch.exec()) ?? [];
  return replies.map(([error, result]) => {
    if (error) throw error;
    return result;
  });
};

/** @param member `<session>|<user>|<user>` */
const toMatch = (member: string): Match => {
  const [sessionId = '', first, second] = member.split('|');
  return { sessionId, userIds: [Number(first), Number(second)] };
};

const toMatchState = (userId: number, reply: JoinReply): MatchState => {
  if (reply[0] === 'idle') return { kind: 'idle' };
  const [, gender, preference, poolName] = reply;
  const criteria = { gender, preference, pool: parsePoolName(poolName) };
  switch (reply[0]) {
    case 'searching': {
      const [kind, , , , since, retryInMs] = reply;
      return {
        kind,
        criteria,
        since: new Date(Number(since)),
        retryInMs: retryInMs === '' ? null : Number(retryInMs),
      };
    }
    case 'matched': {
      const [kind, , , , sessionId, partnerId] = reply;
      return { kind, criteria, match: { sessionId, userIds: [userId, Number(partnerId)] } };
    }
    case 'claimed':
    case 'chatting': {
      const [kind, , , , sessionId] = reply;
      return { kind, criteria, sessionId };
    }
  }
};
