// Uses a real Redis.
import { randomUUID } from 'node:crypto';
import { until } from '../../testing/until.functions';
import {
  connectRedis,
  type RedisClient,
  waitForFirstConnectionAttempt,
} from '../redis/redis-connection.factory';
import { rateLimitKey } from '../redis/redis.keys';
import { RateLimiterService } from './rate-limiter.service';

const TEST_TIMEOUT_MS = 30_000;
jest.setTimeout(TEST_TIMEOUT_MS);

// Buckets of bucket.limits.ts. `burst`: tokens when full; `intervalMs`: time in which one token is refilled.
const slowBucket = { name: 'login_failures_of_account', burst: 5, intervalMs: 180_000 } as const;
const fastBucket = { name: 'random_message', burst: 10, intervalMs: 500 } as const;
const largeBucket = { name: 'reactions', burst: 60, intervalMs: 1_000 } as const;

/** A connection with more time for commands than in production, for a busy test machine. */
const connect = async (): Promise<RedisClient> => {
  const connection = connectRedis({ REDIS_URL: process.env.REDIS_URL! }, { commandTimeout: 5_000 });
  await waitForFirstConnectionAttempt(connection);
  return connection;
};

const createLimiter = (connection: RedisClient): RateLimiterService =>
  new RateLimiterService(connection, { LIMITS_PROFILE: 'default' });

describe('RateLimiterService', () => {
  let redis: RedisClient;
  let limiter: RateLimiterService;
  let subject: string;

  beforeAll(async () => {
    redis = await connect();
    limiter = createLimiter(redis);
  });
  beforeEach(() => {
    subject = randomUUID();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => redis.disconnect());

  it('allows a burst, then refuses and returns how long to wait', async () => {
    for (let count = 0; count < slowBucket.burst; count += 1)
      expect(await limiter.take(slowBucket.name, subject)).toEqual({ allowed: true, retryAfterMs: 0 });
    const { allowed, retryAfterMs } = await limiter.take(slowBucket.name, subject);
    expect(allowed).toBe(false);
    // Less than a full interval, because the bucket refills while the test runs.
    expect(retryAfterMs).toBeGreaterThan(slowBucket.intervalMs - TEST_TIMEOUT_MS);
    expect(retryAfterMs).toBeLessThanOrEqual(slowBucket.intervalMs);
  });

  it('allows actions again when an exhausted bucket is refilled', async () => {
    const takeAll = () => limiter.take(fastBucket.name, subject, fastBucket.burst);
    expect(await takeAll()).toMatchObject({ allowed: true });
    expect(await takeAll()).toMatchObject({ allowed: false });
    await until(
      () => limiter.take(fastBucket.name, subject),
      ({ allowed }) => allowed,
    );
  });

  it('allows a full burst of actions with prefetching, and takes the token of the next action in advance', async () => {
    const socket = {}; // any object may be the holder of a prefetched token
    const requireAction = () => limiter.requireWithPrefetch(socket, slowBucket.name, subject);
    const take = jest.spyOn(limiter, 'take');
    for (let count = 1; count <= slowBucket.burst; count += 1) {
      await requireAction();
      const countWithNext = count + 1;
      expect(take).toHaveBeenCalledTimes(countWithNext);
    }
    await expect(requireAction()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await limiter.take(slowBucket.name, subject)).toMatchObject({ allowed: false });
  });

  it('allows actions with prefetching again when an exhausted bucket is refilled', async () => {
    const socket = {};
    const requireAction = () => limiter.requireWithPrefetch(socket, fastBucket.name, subject);
    await limiter.take(fastBucket.name, subject, fastBucket.burst);
    await expect(requireAction()).rejects.toMatchObject({ code: 'rate_limited' });
    const isAllowed = () =>
      requireAction().then(
        () => true,
        () => false,
      );
    await until(isAllowed);
  });

  it('shares its buckets among all replicas', async () => {
    const otherConnection = await connect();
    const limiters = [limiter, createLimiter(otherConnection)];
    const cost = 5;
    const allowances = await Promise.all(
      limiters.flatMap((replicaLimiter) =>
        Array.from({ length: 10 }, () => replicaLimiter.take(largeBucket.name, subject, cost)),
      ),
    );
    expect(allowances.filter(({ allowed }) => allowed)).toHaveLength(largeBucket.burst / cost);
    otherConnection.disconnect();
  });

  it('refunds attempts that do not count', async () => {
    for (let count = 0; count < 4 * slowBucket.burst; count += 1) {
      expect((await limiter.take(slowBucket.name, subject)).allowed).toBe(true);
      await limiter.refund(slowBucket.name, subject);
    }
    expect(await redis.exists(rateLimitKey(slowBucket.name, subject))).toBe(0);
  });

  it('never refunds beyond a full bucket', async () => {
    for (let count = 0; count < slowBucket.burst; count += 1) await limiter.refund(slowBucket.name, subject);
    const allowances = await Promise.all(
      Array.from({ length: 2 * slowBucket.burst }, () => limiter.take(slowBucket.name, subject)),
    );
    expect(allowances.filter(({ allowed }) => allowed)).toHaveLength(slowBucket.burst);
  });

  it('refunds to an exhausted bucket', async () => {
    for (let count = 0; count < slowBucket.burst; count += 1) await limiter.take(slowBucket.name, subject);
    await limiter.refund(slowBucket.name, subject);
    expect((await limiter.take(slowBucket.name, subject)).allowed).toBe(true);
    expect((await limiter.take(slowBucket.name, subject)).allowed).toBe(false);
  });

  it('lets a key expire at the latest when its bucket is full again', async () => {
    await limiter.take(slowBucket.name, subject);
    const ttlMs = await redis.pttl(rateLimitKey(slowBucket.name, subject));
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(slowBucket.intervalMs);
  });

  describe('while Redis is unavailable', () => {
    const bucket = { name: 'skip', burst: 20 } as const;
    let unreachable: RedisClient;
    let localLimiter: RateLimiterService;

    beforeEach(() => {
      unreachable = connectRedis({ REDIS_URL: 'redis://127.0.0.1:1' });
      localLimiter = createLimiter(unreachable);
    });
    afterEach(() => unreachable.disconnect());

    it('limits locally, without delay', async () => {
      const startedAt = performance.now();
      const cost = 2;
      const results: boolean[] = [];
      for (let count = 0; count < 12; count += 1)
        results.push((await localLimiter.take(bucket.name, subject, cost)).allowed);
      const allowedCount = bucket.burst / cost;
      expect(results).toEqual([...Array<boolean>(allowedCount).fill(true), false, false]);
      // After a failure, Redis is not called for a second. Twelve time-outs of 0.5 s would take six seconds.
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    });

    it('refuses with the time to wait', async () => {
      await localLimiter.take(bucket.name, subject, bucket.burst);
      await expect(localLimiter.require(bucket.name, subject, 2)).rejects.toMatchObject({
        code: 'rate_limited',
        retryAfterMs: expect.any(Number),
      });
    });
  });
});
