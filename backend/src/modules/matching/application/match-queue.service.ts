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
import { openBatch } from '../../../platform/redis/redis-nodes.functions';
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
/** Interval at which it is checked whether chats have ended without `finish`, for example because a process died. */
const CHECK_CHAT_EVERY_MS = 600_000;
/** The scripts keep the record of a user without sockets for 35 s, so the socket directory adds no grace period. */
const DIRECTORY_GRACE_MS = 0;

/** Two matched users and the session of their chat. The user whose call made the match comes first. */
export type Match = MatchedPair;

/** A user's state in matching. */
export type MatchState =
  | { kind: 'idle' }
  /**
   * `since`: when the search started. `retryInMs`: if a cool-down (recent partners are not matched again for some
   * time) prevented a match, the time until it may be ignored; otherwise null.
   */
  | { kind: 'searching'; criteria: SearchCriteria; since: Date; retryInMs: number | null }
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
  /** The user has a match. If it is not confirmed yet, the queue records that the user left; see `confirm`. */
  | { kind: 'claimed' | 'chatting'; sessionId: string; msSinceMatch: number };

/** KEYS of every script of matching. One key is enough, because all keys of matching share its hash tag. */
const KEYS = [matchingKeys.replicas];

/**
 * The match queue in Redis. Each user who searches or chats has one record with their state, and every change is one
 * atomic script. A new match is a claim until `confirm` is called. This class does not start the chats of matches.
 *
 * A user's place in the queue is the time at which their search started. Replicas with a socket of the user hold the
 * place. Without such a replica the user is parked: not matched, and forgotten after 35 s
 * (docs/product-decisions.md, A42). Users are matched within their pool only: users whom moderation has flagged in
 * `care`, all others in `common`.
 */
@Injectable()
export class MatchQueueService {
  private readonly ignoreCoolDownAfterMs: number;
  private readonly coolDownMs: number;
  /** Which replicas hold sockets of users who are searching or claimed. */
  private readonly directory: SocketDirectoryRepository<JoinReply>;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly lease: ReplicaLeaseService,
  ) {
    this.ignoreCoolDownAfterMs = environment.REMATCH_RELAX_AFTER_S * 1_000;
    this.coolDownMs = environment.REMATCH_COOLDOWN_S * 1_000;
    this.directory = new SocketDirectoryRepository<JoinReply>({
      name: 'places in the queue',
      redis,
      lease,
      // All users share one hash slot, because one script changes the records of two users.
      slots: { count: 1, getPrefix: () => matchingKeys.prefix, findSlot: () => 0 },
      scripts: { join: resumeScript, leave: departScript, sweep: sweepScript },
      graceAfterLossMs: DIRECTORY_GRACE_MS,
      // The scripts record replicas only for users who are searching or claimed.
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
    return this.joinAndMatch(joinScript, userId, [gender, preference, getPoolName(pool), ...excludedIds]);
  }

  /**
   * Records that this replica holds a socket of the user, and returns the user's state. A searching user keeps their
   * place, and matching is retried.
   * @param excludedIds as for `join`; null if they are not known, in which case matching is not retried.
   */
  async resume(userId: number, excludedIds: readonly number[] | null = []): Promise<MatchState> {
    if (excludedIds === null) {
      // Without parameters for a match, the script does not retry matching.
      const reply = await this.directory.joinWith(resumeScript, String(userId), this.lease.replicaId, []);
      return toMatchState(userId, reply);
    }
    return this.joinAndMatch(resumeScript, userId, excludedIds);
  }

  /** Runs a script that records this replica as holder of the user's place and tries to match the user. */
  private async joinAndMatch(
    script: RedisScript<JoinReply>,
    userId: number,
    scriptParameters: readonly (string | number)[],
  ): Promise<MatchState> {
    const reply = await this.directory.joinWith(script, String(userId), this.lease.replicaId, [
      ...this.buildMatchParameters(),
      ...scriptParameters,
    ]);
    return toMatchState(userId, reply);
  }

  /** Parameters of every script that may make a match. */
  private buildMatchParameters(): (string | number)[] {
    const sessionId = buildSessionId(randomUUID());
    return [sessionId, CLAIM_TTL_MS, this.ignoreCoolDownAfterMs];
  }

  /**
   * Records that the user's last socket on this replica has closed. If no other replica has a socket of the user, the
   * searching user is parked. Never rejects: a departure that cannot be recorded now is recorded later.
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
      // `left` or `idle`: there is no match.
      this.forget(userId);
      return { kind: reply[0] };
    }
    return { kind: reply[0], sessionId: reply[1], msSinceMatch: reply[2] };
  }

  /** Retries matching for a searching user. */
  async retry(userId: number, excludedIds: readonly number[] = []): Promise<MatchState> {
    const parameters = [userId, ...this.buildMatchParameters(), ...excludedIds];
    const reply = await retryScript.run(this.redis, KEYS, parameters);
    return toMatchState(userId, reply);
  }

  /**
   * Moves a user to a pool. A searching user keeps the start of their search, which is their place there, and matching
   * is retried.
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

  /** @returns expired claims. Each becomes overdue again after 3 s unless it is confirmed or released. */
  async takeOverdueClaims(): Promise<Match[]> {
    return (await takeOverdueClaimsScript.run(this.redis, KEYS, [CLAIM_TTL_MS])).map(toMatch);
  }

  /** @returns chats not checked for ten minutes. Each becomes due again unless it is finished. */
  async takeChatsDueForCheck(): Promise<Match[]> {
    return (await takeChatsDueForCheckScript.run(this.redis, KEYS, [CHECK_CHAT_EVERY_MS])).map(toMatch);
  }

  /** Releases a match whose chat does not exist. @returns the users who are searching again. */
  async release({ sessionId, userIds }: Match): Promise<number[]> {
    return (await releaseClaimScript.run(this.redis, KEYS, [sessionId, ...userIds])).map(Number);
  }

  /**
   * Frees the users of an ended chat and starts their cool-down, during which they are not matched with each other
   * (docs/product-decisions.md, A41).
   */
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
    const pipeline = openBatch(this.redis);
    for (const { gender, preference, pool } of queueCriteria)
      pipeline.zcard(matchingKeys.queue(gender, preference, getPoolName(pool)));
    const replies = (await pipeline.exec()) ?? [];
    return queueCriteria.map((criteria, index) => {
      const [error, count] = replies[index] ?? [];
      if (error) throw error;
      return { ...criteria, count: Number(count) };
    });
  }

  /**
   * Returns how long the longest-waiting user has waited, in ms by the clock of this process; 0 if the queues are
   * empty.
   */
  async readLongestWaitMs(): Promise<number> {
    const pipeline = openBatch(this.redis);
    for (const { gender, preference, pool } of queueCriteria)
      pipeline.zrange(matchingKeys.queue(gender, preference, getPoolName(pool)), '0', '0', 'WITHSCORES');
    const starts = ((await pipeline.exec()) ?? []).flatMap(([error, head]) => {
      if (error) throw error;
      const [, since] = head as string[];
      return since === undefined ? [] : [Number(since)];
    });
    // Starts are times of the clock of Redis, which may be ahead of the clock of this process.
    return starts.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...starts));
  }

  /** @returns for each of the users, the partner in their chat; null for users who are not in a chat. */
  async readPartners(userIds: readonly number[]): Promise<(number | null)[]> {
    const pipeline = openBatch(this.redis);
    for (const userId of userIds) pipeline.hmget(matchingKeys.user(userId), 'state', 'partner');
    return ((await pipeline.exec()) ?? []).map(([error, fields]) => {
      if (error) throw error;
      const [state, partner] = fields as [string | null, string | null];
      return state === 'chatting' && partner ? Number(partner) : null;
    });
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
   * Records that the chat of the two was ended for safety (one of them stated to be under 18). Has to be called before
   * `finish`, which then keeps this mark.
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
    const pipeline = openBatch(this.redis);
    for (const userId of userIds) pipeline.hmget(matchingKeys.user(userId), 'state', 'session', 'pool');
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, fields]) => {
      if (error) throw error;
      const [state, sessionId, pool] = fields as [QueueRecord['state'] | null, string | null, string | null];
      return state ? { state, sessionId, pool: parsePoolName(pool) } : null;
    });
  }
}

/** @param member `<session>|<user>|<user>` */
const toMatch = (member: string): Match => {
  const [sessionId = '', first, second] = member.split('|');
  return { sessionId, userIds: [Number(first), Number(second)] };
};

const toMatchState = (userId: number, reply: JoinReply): MatchState => {
  if (reply[0] === 'idle') return { kind: 'idle' };
  const criteria = { gender: reply[1], preference: reply[2], pool: parsePoolName(reply[3]) };
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
