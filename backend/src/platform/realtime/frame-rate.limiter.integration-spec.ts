// Uses a real Redis. Each FrameRateLimiter represents one replica.
import { randomInt } from 'node:crypto';
import { until, untilWithin } from '../../testing/until.functions';
import { getBucket } from '../rate-limit/bucket.limits';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { rateLimitKey } from '../redis/redis.keys';
import { connectRedis, type RedisClient, waitForFirstAttempt } from '../redis/redis-connection.factory';
import { type UserFrameLimiter, FrameRateLimiter } from './frame-rate.limiter';

jest.setTimeout(30_000);

const { intervalMs, burst } = getBucket('socket_frames', 'default');

describe('FrameRateLimiter', () => {
  let redis: RedisClient;
  let limiter: RateLimiterService;

  beforeAll(async () => {
    redis = connectRedis({ REDIS_URL: process.env.REDIS_URL! }, { commandTimeout: 5_000 });
    await waitForFirstAttempt(redis);
    limiter = new RateLimiterService(redis, { LIMITS_PROFILE: 'default' });
  });
  afterAll(() => redis.disconnect());

  const createReplica = () => new FrameRateLimiter(limiter, 'default');
  const createUser = () => randomInt(2 ** 40);
  /** Returns the number of frames allowed without a pause until one is refused. */
  const exhaust = (budget: UserFrameLimiter): number => {
    let frames = 0;
    while (budget.take(performance.now()) === 0) frames += 1;
    return frames;
  };
  const readOwedMs = async (userId: number) => redis.pttl(rateLimitKey('socket_frames', userId));

  it('allows a user of one replica a full burst without a pause and then one frame per interval', async () => {
    const budget = createReplica().acquire(createUser());
    expect(exhaust(budget)).toBe(burst);
    const waitMs = budget.take(performance.now());
    expect(waitMs).toBeGreaterThan(intervalMs / 2);
    expect(waitMs).toBeLessThanOrEqual(intervalMs);
    expect(await until(() => exhaust(budget))).toBe(1);
  });

  it('shares one limit among all sockets of a user on a replica', () => {
    const [here, userId] = [createReplica(), createUser()];
    const [one, other] = [here.acquire(userId), here.acquire(userId)];
    expect(exhaust(one) + exhaust(other)).toBe(burst);
    expect(exhaust(here.acquire(createUser()))).toBe(burst);
  });

  it('keeps the limit while the user reconnects', () => {
    const [here, userId] = [createReplica(), createUser()];
    expect(exhaust(here.acquire(userId))).toBe(burst);
    here.release(userId);
    expect(exhaust(here.acquire(userId))).toBe(0);
  });

  it('removes a limit once its bucket is full again and the user has no socket', async () => {
    const [here, userId] = [createReplica(), createUser()];
    const budget = here.acquire(userId);
    budget.take(performance.now());
    here.acquire(userId);
    here.release(userId);
    here.release(userId);
    expect(here.size).toBe(1);
    await until(() => here.size === 0);
  });

  it('refuses a user who has used the burst on another replica within a second', async () => {
    const [here, there, userId] = [createReplica(), createReplica(), createUser()];
    expect(exhaust(here.acquire(userId))).toBe(burst);
    await until(async () => (await readOwedMs(userId)) > (burst - burst / 5) * intervalMs);
    const budget = there.acquire(userId);
    expect(budget.take(performance.now())).toBe(0);
    expect(budget.take(performance.now())).toBe(0);
    await untilWithin(1_000, () => budget.take(performance.now()) > 0);
  });

  it('charges the shared bucket for pending frames when the last socket closes', async () => {
    const [here, userId] = [createReplica(), createUser()];
    const budget = here.acquire(userId);
    for (let frame = 0; frame < 10; frame += 1) budget.take(performance.now());
    here.release(userId);
    await until(async () => (await readOwedMs(userId)) > 9 * intervalMs);
  });

  it('limits a user who floods five replicas to one shared burst and rate, plus uncharged frames', async () => {
    const userId = createUser();
    const budgets = Array.from({ length: 5 }, () => createReplica().acquire(userId));
    const startedAt = performance.now();
    let frames = 0;
    // One frame per replica and turn, so that replies from Redis arrive in between, as in a real replica.
    await until(async () => {
      for (const budget of budgets) if (budget.take(performance.now()) === 0) frames += 1;
      await redis.ping();
      return performance.now() - startedAt > 4_000;
    });
    const allowed = burst + (performance.now() - startedAt) / intervalMs;
    // Each of the five replicas may have allowed up to a sixth of a burst that it has not charged yet.
    expect(frames).toBeLessThanOrEqual(allowed + (5 * burst) / 6);
    expect(frames).toBeGreaterThanOrEqual(burst);
  });

  it('calls Redis for a small part of the frames and not for the first frame', async () => {
    const charges = jest.spyOn(limiter, 'charge');
    const budget = createReplica().acquire(createUser());
    budget.take(performance.now());
    expect(charges).not.toHaveBeenCalled();
    exhaust(budget);
    expect(charges.mock.calls.length).toBeLessThanOrEqual(8);
    charges.mockRestore();
  });

  it('limits locally while Redis is unavailable', () => {
    const unreachable = connectRedis({ REDIS_URL: 'redis://127.0.0.1:1' });
    const replica = new FrameRateLimiter(
      new RateLimiterService(unreachable, { LIMITS_PROFILE: 'default' }),
      'default',
    );
    expect(exhaust(replica.acquire(1))).toBe(burst);
    unreachable.disconnect();
  });
});
