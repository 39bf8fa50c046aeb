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

/** Of the bucket `login_failures_of_account`: tokens when full, and the time in which one token is refilled. */
const LOGIN_BURST = 5;
const LOGIN_INTERVAL_MS = 180_000;
/** Tokens of the full bucket `random_message`. One token is refilled in half a second. */
const MESSAGE_BURST = 10;
/** Tokens of the full bucket `reactions`. */
const REACTION_BURST = 60;

describe('RateLimiterService', () => {
  let redis: RedisClient;
  let limiter: RateLimiterService;
  const createLimiter = (connection: RedisClient) =>
    new RateLimiterService(connection, { LIMITS_PROFILE: 'default' });

  beforeAll(async () => {
    redis = connectRedis({ REDIS_URL: process.env.REDIS_URL! }, { commandTimeout: 5_000 });
    await waitForFirstConnectionAttempt(redis);
    limiter = createLimiter(redis);
  });
  afterAll(() => redis.disconnect());

  it('allows a burst, returns how long to wait, and allows again after that', async () => {
    const subject = randomUUID();
    for (let count = 0; count < LOGIN_BURST; count += 1) {
      expect(await limiter.take('login_failures_of_account', subject)).toEqual({
        allowed: true,
        retryAfterMs: 0,
      });
    }
    const { allowed, retryAfterMs } = await limiter.take('login_failures_of_account', subject);
    expect(allowed).toBe(false);
    // Less than a full interval, because the bucket refills while the test runs.
    expect(retryAfterMs).toBeGreaterThan(LOGIN_INTERVAL_MS - TEST_TIMEOUT_MS);
    expect(retryAfterMs).toBeLessThanOrEqual(LOGIN_INTERVAL_MS);

    expect(await limiter.take('random_message', subject, MESSAGE_BURST)).toMatchObject({ allowed: true });
    expect(await limiter.take('random_message', subject, MESSAGE_BURST)).toMatchObject({ allowed: false });
    await until(
      () => limiter.take('random_message', subject),
      ({ allowed }) => allowed,
    );
  });

  it('allows a full burst of actions with prefetching, and takes the token of the next action in advance', async () => {
    // Any object may stand for the socket, for which the limiter keeps the prefetched token.
    const [subject, socket] = [randomUUID(), {}];
    const requireAction = () => limiter.requireWithPrefetch(socket, 'login_failures_of_account', subject);
    const take = jest.spyOn(limiter, 'take');
    const prefetched = 1;
    for (let count = 1; count <= LOGIN_BURST; count += 1) {
      await requireAction();
      expect(take).toHaveBeenCalledTimes(count + prefetched);
    }
    take.mockRestore();
    await expect(requireAction()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await limiter.take('login_failures_of_account', subject)).toMatchObject({ allowed: false });
  });

  it('allows actions with prefetching again when the bucket has tokens again', async () => {
    const [subject, socket] = [randomUUID(), {}];
    const requireAction = () => limiter.requireWithPrefetch(socket, 'random_message', subject);
    await limiter.take('random_message', subject, MESSAGE_BURST);
    await expect(requireAction()).rejects.toMatchObject({ code: 'rate_limited' });
    await until(() =>
      requireAction().then(
        () => true,
        () => false,
      ),
    );
  });

  it('shares its buckets among all replicas', async () => {
    const otherConnection = connectRedis({ REDIS_URL: process.env.REDIS_URL! }, { commandTimeout: 5_000 });
    await waitForFirstConnectionAttempt(otherConnection);
    const subject = randomUUID();
    const cost = 5;
    const allowances = await Promise.all(
      [limiter, createLimiter(otherConnection)].flatMap((replicaLimiter) =>
        Array.from({ length: 10 }, () => replicaLimiter.take('reactions', subject, cost)),
      ),
    );
    expect(allowances.filter(({ allowed }) => allowed)).toHaveLength(REACTION_BURST / cost);
    otherConnection.disconnect();
  });

  it('refunds attempts that do not count', async () => {
    const subject = randomUUID();
    for (let count = 0; count < 4 * LOGIN_BURST; count += 1) {
      expect((await limiter.take('login_failures_of_account', subject)).allowed).toBe(true);
      await limiter.refund('login_failures_of_account', subject);
    }
    expect(await redis.exists(rateLimitKey('login_failures_of_account', subject))).toBe(0);
  });

  it('never refunds beyond a full bucket', async () => {
    const subject = randomUUID();
    for (let count = 0; count < LOGIN_BURST; count += 1)
      await limiter.refund('login_failures_of_account', subject);
    const allowances = await Promise.all(
      Array.from({ length: 2 * LOGIN_BURST }, () => limiter.take('login_failures_of_account', subject)),
    );
    expect(allowances.filter(({ allowed }) => allowed)).toHaveLength(LOGIN_BURST);
  });

  it('refunds to an exhausted bucket', async () => {
    const subject = randomUUID();
    for (let count = 0; count < LOGIN_BURST; count += 1)
      await limiter.take('login_failures_of_account', subject);
    await limiter.refund('login_failures_of_account', subject);
    expect((await limiter.take('login_failures_of_account', subject)).allowed).toBe(true);
    expect((await limiter.take('login_failures_of_account', subject)).allowed).toBe(false);
  });

  it('lets a key expire at the latest when its bucket is full again', async () => {
    const subject = randomUUID();
    await limiter.take('login_failures_of_account', subject);
    const ttlMs = await redis.pttl(rateLimitKey('login_failures_of_account', subject));
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(LOGIN_INTERVAL_MS);
  });

  it('limits locally, without delay, while Redis is unavailable', async () => {
    const unreachable = connectRedis({ REDIS_URL: 'redis://127.0.0.1:1' });
    const localOnly = createLimiter(unreachable);
    const startedAt = performance.now();
    // The bucket has 20 tokens, and each call takes two.
    const results: boolean[] = [];
    for (let count = 0; count < 12; count += 1)
      results.push((await localOnly.take('skip', 'subject', 2)).allowed);
    expect(results).toEqual([...Array<boolean>(10).fill(true), false, false]);
    // After a failure, Redis is not called for a second. Twelve time-outs of 0.5 s would take six seconds.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await expect(localOnly.require('skip', 'subject', 2)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: expect.any(Number),
    });
    unreachable.disconnect();
  });
});
