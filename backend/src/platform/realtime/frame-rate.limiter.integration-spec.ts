// Uses a real Redis. Each FrameRateLimiter represents one replica.
import { randomInt } from 'node:crypto';
import { until, untilWithin } from '../../testing/until.functions';
import { getBucket } from '../rate-limit/bucket.limits';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { rateLimitKey } from '../redis/redis.keys';
import {
  connectRedis,
  type RedisClient,
  waitForFirstConnectionAttempt,
} from '../redis/redis-connection.factory';
import { type UserFrameLimiter, FrameRateLimiter } from './frame-rate.limiter';

jest.setTimeout(30_000);

/** A user may send `burst` frames without a pause, and one frame per `intervalMs` on average. */
const { intervalMs, burst } = getBucket('socket_frames', 'default');
// A replica charges the bucket that all replicas share only after several frames. The limiter defines the divisors.
const framesBeforeFirstCharge = burst / 50;
const framesPerCharge = burst / 6;

describe('FrameRateLimiter', () => {
  let redis: RedisClient;
  let limiter: RateLimiterService;

  beforeAll(async () => {
    redis = connectRedis({ REDIS_URL: process.env.REDIS_URL! }, { commandTimeout: 5_000 });
    await waitForFirstConnectionAttempt(redis);
    limiter = new RateLimiterService(redis, { LIMITS_PROFILE: 'default' });
  });
  afterAll(() => redis.disconnect());

  const createReplica = () => new FrameRateLimiter(limiter, 'default');
  const createUserId = () => randomInt(2 ** 40);
  /**
   * Takes frames without a pause until one is refused: `take` returns 0 if a frame is allowed, else the milliseconds to
   * wait. @returns the number of allowed frames.
   */
  const exhaust = (userLimiter: UserFrameLimiter): number => {
    let frames = 0;
    while (userLimiter.take(performance.now()) === 0) frames += 1;
    return frames;
  };
  /** Reads the user's debt: the time until the shared bucket is full again. */
  const readDebtMs = async (userId: number) => redis.pttl(rateLimitKey('socket_frames', userId));

  it('lets a user of one replica send a full burst without a pause, and then one frame per interval', async () => {
    const userLimiter = createReplica().acquire(createUserId());
    expect(exhaust(userLimiter)).toBe(burst);
    const waitMs = userLimiter.take(performance.now());
    expect(waitMs).toBeGreaterThan(intervalMs / 2);
    expect(waitMs).toBeLessThanOrEqual(intervalMs);
    // Polls until `exhaust` returns more than 0.
    const framesAfterWait = await until(() => exhaust(userLimiter));
    expect(framesAfterWait).toBe(1);
  });

  it('shares one limit among all sockets of a user on a replica', () => {
    const [replica, userId] = [createReplica(), createUserId()];
    const [firstSocket, secondSocket] = [replica.acquire(userId), replica.acquire(userId)];
    expect(exhaust(firstSocket) + exhaust(secondSocket)).toBe(burst);
    const otherUserId = createUserId();
    expect(exhaust(replica.acquire(otherUserId))).toBe(burst);
  });

  it('keeps the limit while the user reconnects', () => {
    const [replica, userId] = [createReplica(), createUserId()];
    expect(exhaust(replica.acquire(userId))).toBe(burst);
    replica.release(userId);
    expect(exhaust(replica.acquire(userId))).toBe(0);
  });

  it('removes a limiter once its bucket is full again and the user has no socket', async () => {
    const [replica, userId] = [createReplica(), createUserId()];
    const userLimiter = replica.acquire(userId);
    userLimiter.take(performance.now());
    replica.acquire(userId);
    replica.release(userId);
    replica.release(userId);
    expect(replica.size).toBe(1);
    await until(() => replica.size === 0);
  });

  it('starts to refuse frames within a second when the user has used the burst on another replica', async () => {
    const [replica, otherReplica, userId] = [createReplica(), createReplica(), createUserId()];
    expect(exhaust(otherReplica.acquire(userId))).toBe(burst);
    // The last frames, up to `framesPerCharge`, may not be charged yet.
    const minChargedFrames = burst - framesPerCharge;
    // A little less than that, because the debt decreases while this test polls.
    const minDebtMs = 0.96 * minChargedFrames * intervalMs;
    await until(async () => (await readDebtMs(userId)) > minDebtMs);
    const userLimiter = replica.acquire(userId);
    // A replica does not know the debt before the reply to its first charge, so it allows these frames.
    for (let frame = 0; frame < framesBeforeFirstCharge; frame += 1)
      expect(userLimiter.take(performance.now())).toBe(0);
    await untilWithin(1_000, () => userLimiter.take(performance.now()) > 0);
  });

  it('charges the shared bucket for pending frames when the last socket closes', async () => {
    const [replica, userId] = [createReplica(), createUserId()];
    const userLimiter = replica.acquire(userId);
    const frameCount = 10;
    for (let frame = 0; frame < frameCount; frame += 1) userLimiter.take(performance.now());
    replica.release(userId);
    // The debt decreases with time, so it is a little less than `frameCount` intervals.
    await until(async () => (await readDebtMs(userId)) > (frameCount - 1) * intervalMs);
  });

  it('limits a user who floods five replicas to one burst and rate, plus the frames not charged yet', async () => {
    const userId = createUserId();
    const replicaCount = 5;
    const userLimiters = Array.from({ length: replicaCount }, () => createReplica().acquire(userId));
    const startedAt = performance.now();
    let frames = 0;
    // Each turn takes one frame on each replica and waits for Redis, so that replies to charges arrive in between.
    await until(async () => {
      for (const userLimiter of userLimiters) if (userLimiter.take(performance.now()) === 0) frames += 1;
      await redis.ping();
      return performance.now() - startedAt > 4_000;
    });
    const allowedByBucket = burst + (performance.now() - startedAt) / intervalMs;
    // Each replica may have allowed up to `framesPerCharge` frames that it has not charged yet.
    expect(frames).toBeLessThanOrEqual(allowedByBucket + replicaCount * framesPerCharge);
    expect(frames).toBeGreaterThanOrEqual(burst);
  });

  it('calls Redis at most 8 times for a burst of frames, and not for the first frame', async () => {
    const charge = jest.spyOn(limiter, 'charge');
    const userLimiter = createReplica().acquire(createUserId());
    userLimiter.take(performance.now());
    expect(charge).not.toHaveBeenCalled();
    for (let frame = 1; frame < burst; frame += 1) {
      userLimiter.take(performance.now());
      await redis.ping(); // no charge is pending after its reply, so that the next one can begin
    }
    expect(charge.mock.calls.length).toBeGreaterThan(1);
    expect(charge.mock.calls.length).toBeLessThanOrEqual(8);
    charge.mockRestore();
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
