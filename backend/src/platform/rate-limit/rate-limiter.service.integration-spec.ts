// Uses a real Redis.
import { randomUUID } from 'node:crypto';
import { until } from '../../testing/until.functions';
import { connectRedis, type RedisClient, waitForFirstAttempt } from '../redis/redis-connection.factory';
import { rateLimitKey } from '../redis/redis.keys';
import { RateLimiterService } from './rate-limiter.service';

jest.setTimeout(30_000);

describe('RateLimiterService', () => {
  let redis: RedisClient;
  let limiter: RateLimiterService;
  const createLimiter = (connection: RedisClient) =>
    new RateLimiterService(connection, { LIMITS_PROFILE: 'default' });

  beforeAll(async () => {
    redis = connectRedis({ REDIS_URL: process.env.REDIS_URL! }, { commandTimeout: 5_000 });
    await waitForFirstAttempt(redis);
    limiter = createLimiter(redis);
  });
  afterAll(() => redis.disconnect());

  it('allows a burst, returns how long to wait, and allows again after that', async () => {
    const subject = randomUUID();
    for (let count = 0; count < 5; count += 1) {
      expect(await limiter.take('login_failures_of_account', subject)).toEqual({
        allowed: true,
        retryAfterMs: 0,
      });
    }
    const { allowed, retryAfterMs } = await limiter.take('login_failures_of_account', subject);
    expect(allowed).toBe(false);
    expect(retryAfterMs).toBeGreaterThan(150_000);
    expect(retryAfterMs).toBeLessThanOrEqual(180_000);

    expect(await limiter.take('random_message', subject, 10)).toMatchObject({ allowed: true });
    const next = await limiter.take('random_message', subject, 10);
    expect(next.allowed).toBe(false);
    await until(
      () => limiter.take('random_message', subject),
      ({ allowed }) => allowed,
    );
  });

  it('allows as much in turn as in single calls, taking one token ahead', async () => {
    const [subject, socket] = [randomUUID(), {}];
    const takeInTurn = () => limiter.requireWithPrefetch(socket, 'login_failures_of_account', subject);
    const takes = jest.spyOn(limiter, 'take');
    for (let count = 1; count <= 5; count += 1) {
      await takeInTurn();
      expect(takes).toHaveBeenCalledTimes(count + 1);
    }
    takes.mockRestore();
    await expect(takeInTurn()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await limiter.take('login_failures_of_account', subject)).toMatchObject({ allowed: false });
  });

  it('allows in turn again when the bucket has tokens again', async () => {
    const [subject, socket] = [randomUUID(), {}];
    const takeInTurn = () => limiter.requireWithPrefetch(socket, 'random_message', subject);
    await limiter.take('random_message', subject, 10);
    await expect(takeInTurn()).rejects.toMatchObject({ code: 'rate_limited' });
    await until(() =>
      takeInTurn().then(
        () => true,
        () => false,
      ),
    );
  });

  it('shares its buckets among all replicas', async () => {
    const other = connectRedis({ REDIS_URL: process.env.REDIS_URL! }, { commandTimeout: 5_000 });
    await waitForFirstAttempt(other);
    const subject = randomUUID();
    const taken = await Promise.all(
      [limiter, createLimiter(other)].flatMap((each) =>
        Array.from({ length: 10 }, () => each.take('reactions', subject, 5)),
      ),
    );
    expect(taken.filter(({ allowed }) => allowed)).toHaveLength(12);
    other.disconnect();
  });

  it('refunds attempts that do not count', async () => {
    const subject = randomUUID();
    for (let count = 0; count < 20; count += 1) {
      expect((await limiter.take('login_failures_of_account', subject)).allowed).toBe(true);
      await limiter.refund('login_failures_of_account', subject);
    }
    expect(await redis.exists(rateLimitKey('login_failures_of_account', subject))).toBe(0);
  });

  it('never refunds beyond a full bucket', async () => {
    const subject = randomUUID();
    for (let count = 0; count < 5; count += 1) await limiter.refund('login_failures_of_account', subject);
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => limiter.take('login_failures_of_account', subject)),
    );
    expect(taken.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  it('refunds to an exhausted bucket', async () => {
    const subject = randomUUID();
    for (let count = 0; count < 5; count += 1) await limiter.take('login_failures_of_account', subject);
    await limiter.refund('login_failures_of_account', subject);
    expect((await limiter.take('login_failures_of_account', subject)).allowed).toBe(true);
    expect((await limiter.take('login_failures_of_account', subject)).allowed).toBe(false);
  });

  it('lets a key expire when its bucket is full again', async () => {
    const subject = randomUUID();
    await limiter.take('login_failures_of_account', subject);
    const ttl = await redis.pttl(rateLimitKey('login_failures_of_account', subject));
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(180_000);
  });

  it('limits locally, without delay, while Redis is unavailable', async () => {
    const nowhere = connectRedis({ REDIS_URL: 'redis://127.0.0.1:1' });
    const alone = createLimiter(nowhere);
    const startedAt = performance.now();
    const taken: boolean[] = [];
    for (let count = 0; count < 12; count += 1) taken.push((await alone.take('skip', 'somebody', 2)).allowed);
    expect(taken).toEqual([...Array<boolean>(10).fill(true), false, false]);
    // Redis is tried at most once: twelve time-outs would take six seconds.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await expect(alone.require('skip', 'somebody', 2)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: expect.any(Number),
    });
    nowhere.disconnect();
  });
});
