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

/** How long Redis is not called after a failure: while it hangs, every request would wait for the time-out. */
const REDIS_PAUSE_MS = 1_000;

/** Rate limits, shared by all replicas through Redis; local to this replica while Redis is unavailable. */
@Injectable()
export class RateLimiterService {
  private readonly redis: ScriptedRedis;
  private readonly local = new LocalRateLimiter();
  /** Until this time (epoch ms) Redis is not called. */
  private localUntilMs = 0;
  /** The result of taking a token for the next action of each holder, see `requireWithPrefetch`. */
  private readonly prefetched = new WeakMap<object, Promise<Allowance>>();
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

  private async takeUncounted(
    bucketName: BucketName,
    subject: string | number,
    cost: number,
  ): Promise<Allowance> {
    const bucket = getBucket(bucketName, this.environment.LIMITS_PROFILE);
    const key = rateLimitKey(bucketName, subject);
    const now = Date.now();
    if (now >= this.localUntilMs) {
      try {
        const retryAfterMs = await this.redis.thawTakeFromBucket(key, cost, bucket.intervalMs, bucket.burst);
        return { allowed: retryAfterMs === 0, retryAfterMs };
      } catch {
        this.localUntilMs = Date.now() + REDIS_PAUSE_MS;
      }
    }
    return this.local.take(key, cost, bucket, now);
  }

  /**
   * Gives tokens back to the subject's bucket, for an attempt that turned out not to count. Never rejects. A refund is
   * never refused, and a bucket never has more than `burst` tokens.
   */
  async refund(bucketName: BucketName, subject: string | number, cost = 1): Promise<void> {
    await this.take(bucketName, subject, -cost);
  }

  /**
   * Charges the subject's bucket for actions that this replica has already allowed, even if it has too few tokens.
   * Never rejects.
   * @returns the milliseconds until the bucket is full again; undefined while Redis is unavailable.
   */
  async charge(bucketName: BucketName, subject: string | number, cost: number): Promise<number | undefined> {
    if (Date.now() < this.localUntilMs) return undefined;
    const { intervalMs } = getBucket(bucketName, this.environment.LIMITS_PROFILE);
    try {
      return await this.redis.thawChargeBucket(rateLimitKey(bucketName, subject), cost, intervalMs);
    } catch {
      this.localUntilMs = Date.now() + REDIS_PAUSE_MS;
      return undefined;
    }
  }

  /** Takes `cost` tokens from the subject's bucket. @throws DomainError rate_limited, with the time to wait. */
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
    const prefetched = await this.prefetched.get(holder);
    this.prefetched.delete(holder);
    // After a refusal, the bucket may have been refilled.
    if (!prefetched?.allowed) await this.require(bucketName, subject);
    this.prefetched.set(holder, this.take(bucketName, subject));
  }
}
