import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { DomainError } from '../errors/domain.errors';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { rateLimitKey } from '../redis/redis.keys';
import { type BucketName, bucketNames, getBucket } from './bucket.limits';
import { chargeScript, takeScript } from './gcra.functions';
import { LocalRateLimiter } from './local-rate.limiter';

/** Whether an action is allowed under a rate limit. */
export interface Allowance {
  allowed: boolean;
  /** Milliseconds until the bucket has enough tokens; 0 when allowed. */
  retryAfterMs: number;
}

type ScriptedRedis = RedisClient & {
  thawTakeFromBucket(key: string, cost: number, intervalMs: number, burst: number): Promise<number>;
  thawChargeBucket(key: string, cost: number, intervalMs: number): Promise<number>;
};

/** Redis is not called for this long after a failure: while it hangs, every call would wait for the time-out. */
const REDIS_PAUSE_MS = 1_000;

/** Rate limits, shared by all replicas through Redis; local to this replica while Redis is unavailable. */
@Injectable()
export class RateLimiterService {
  private readonly redis: ScriptedRedis;
  private readonly local = new LocalRateLimiter();
  /** Until this time (epoch ms) Redis is not called. */
  private redisPausedUntilMs = 0;
  /** For each holder, whether its next action is allowed, see `requireWithPrefetch`. */
  private readonly prefetchedByHolder = new WeakMap<object, Promise<Allowance>>();
  /** How often each bucket had too few tokens since the process started. */
  readonly refusals = new Map(bucketNames.map((name) => [name, 0]));

  constructor(
    @Inject(REDIS) redis: RedisClient,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'LIMITS_PROFILE'>,
  ) {
    redis.defineCommand('thawTakeFromBucket', { numberOfKeys: 1, lua: takeScript });
    redis.defineCommand('thawChargeBucket', { numberOfKeys: 1, lua: chargeScript });
    this.redis = redis as ScriptedRedis;
  }

  /**
   * Takes `cost` tokens from the subject's bucket if it has that many, and counts refusals. Never rejects.
   * @param subject user id, session id or address. It becomes part of a key, so it must not contain personal data.
   */
  async take(bucketName: BucketName, subject: string | number, cost = 1): Promise<Allowance> {
    const allowance = await this.takeUncounted(bucketName, subject, cost);
    if (!allowance.allowed) this.refusals.set(bucketName, (this.refusals.get(bucketName) ?? 0) + 1);
    return allowance;
  }

  /**
   * Gives tokens back to the subject's bucket, for an attempt that turned out not to count. Never rejects. A refund is
   * never refused, and a bucket never has more than `burst` tokens.
   */
  async refund(bucketName: BucketName, subject: string | number, cost = 1): Promise<void> {
    await this.take(bucketName, subject, -cost);
  }

  /**
   * Charges the subject's bucket for actions that this replica has allowed without asking Redis. The tokens are taken
   * even if there are too few. Never rejects.
   * @returns the milliseconds until the bucket is full again; undefined while Redis is unavailable.
   */
  async charge(bucketName: BucketName, subject: string | number, cost: number): Promise<number | undefined> {
    const { intervalMs } = getBucket(bucketName, this.environment.LIMITS_PROFILE);
    const key = rateLimitKey(bucketName, subject);
    return this.callRedis(() => this.redis.thawChargeBucket(key, cost, intervalMs));
  }

  /**
   * Takes `cost` tokens from the subject's bucket.
   * @throws DomainError rate_limited, with the time to wait.
   */
  async require(bucketName: BucketName, subject: string | number, cost = 1): Promise<void> {
    const { allowed, retryAfterMs } = await this.take(bucketName, subject, cost);
    if (!allowed) throw new DomainError('rate_limited', { retryAfterMs });
  }

  /**
   * Like `require`, for repeated actions of one holder (a socket): takes the token of the next action in advance, so
   * that only the first action waits for Redis. A holder must use one bucket only, and must not act concurrently. It
   * keeps at most one token, which is lost when the holder is discarded.
   * @throws DomainError rate_limited, with the time to wait.
   */
  async requireWithPrefetch(holder: object, bucketName: BucketName, subject: string | number): Promise<void> {
    const prefetched = await this.prefetchedByHolder.get(holder);
    this.prefetchedByHolder.delete(holder);
    // After a refusal, the bucket may have been refilled.
    if (!prefetched?.allowed) await this.require(bucketName, subject);
    this.prefetchedByHolder.set(holder, this.take(bucketName, subject));
  }

  private async takeUncounted(
    bucketName: BucketName,
    subject: string | number,
    cost: number,
  ): Promise<Allowance> {
    const bucket = getBucket(bucketName, this.environment.LIMITS_PROFILE);
    const key = rateLimitKey(bucketName, subject);
    const nowMs = Date.now();
    const retryAfterMs = await this.callRedis(() =>
      this.redis.thawTakeFromBucket(key, cost, bucket.intervalMs, bucket.burst),
    );
    if (retryAfterMs === undefined) return this.local.take(key, cost, bucket, nowMs);
    return { allowed: retryAfterMs === 0, retryAfterMs };
  }

  /** @returns undefined if the call fails, or if an earlier failure was less than REDIS_PAUSE_MS ago. */
  private async callRedis(call: () => Promise<number>): Promise<number | undefined> {
    if (Date.now() < this.redisPausedUntilMs) return undefined;
    try {
      return await call();
    } catch {
      this.redisPausedUntilMs = Date.now() + REDIS_PAUSE_MS;
      return undefined;
    }
  }
}
