import { type BucketName, bucketNames, buckets, getBucket } from './bucket.limits';
import { take } from './gcra.functions';
import { LocalRateLimiter } from './local-rate.limiter';

// The parameters of `take` are the state of the bucket (`fullAtMs`, the time at which it is full again), the time of
// the call, the cost, and the limits of the bucket.
describe('take', () => {
  const bucket = { intervalMs: 500, burst: 3 };

  it('allows a burst, then one per interval', () => {
    /** The time of each call, and its result: `true`, or the milliseconds to wait. */
    const calls: [nowMs: number, result: true | number][] = [
      [1_000, true],
      [1_000, true],
      [1_000, true],
      [1_000, 500],
      [1_499, 1],
      [1_500, true],
      [1_500, 500],
      [9_000, true],
      [9_000, true],
      [9_000, true],
      [9_000, 500],
    ];
    let fullAtMs = 0;
    const results = calls.map(([nowMs]): [number, true | number] => {
      const result = take(fullAtMs, nowMs, 1, bucket);
      fullAtMs = result.fullAtMs;
      return [nowMs, result.allowed || result.retryAfterMs];
    });
    expect(results).toEqual(calls);
  });

  it('charges nothing when it refuses', () => {
    const { fullAtMs } = take(0, 0, 3, bucket);
    for (let attempt = 0; attempt < 100; attempt += 1) {
      expect(take(fullAtMs, 0, 1, bucket)).toEqual({ allowed: false, retryAfterMs: 500, fullAtMs });
    }
  });

  it('charges the cost, and refuses a cost above the burst', () => {
    // A retry after the 500 ms is refused too, because the bucket never has four tokens.
    expect(take(0, 0, 4, bucket)).toMatchObject({ allowed: false, retryAfterMs: 500 });
    expect(take(0, 0, 3, bucket)).toMatchObject({ allowed: true, fullAtMs: 1_500 });
  });
});

describe('buckets', () => {
  const isFixed = (name: BucketName): boolean => 'isFixed' in buckets[name];

  it('are equal in all profiles if they are fixed', () => {
    for (const name of bucketNames.filter(isFixed)) {
      expect(getBucket(name, 'strict')).toEqual(getBucket(name, 'default'));
      expect(getBucket(name, 'load')).toEqual(getBucket(name, 'default'));
    }
  });

  it('are larger in the profile `load`, and not larger in `strict`, if they are not fixed', () => {
    for (const name of bucketNames.filter((bucketName) => !isFixed(bucketName))) {
      const { burst } = getBucket(name, 'default');
      expect(getBucket(name, 'load').burst).toBeGreaterThan(burst);
      expect(getBucket(name, 'strict').burst).toBeLessThanOrEqual(burst);
    }
  });

  it('hold at least one token in every profile', () => {
    for (const name of bucketNames) {
      for (const profile of ['strict', 'default', 'load'] as const)
        expect(getBucket(name, profile).burst).toBeGreaterThanOrEqual(1);
    }
  });

  it('keep their declared rate and burst in the default profile', () => {
    expect(getBucket('random_message', 'default')).toEqual({ intervalMs: 500, burst: 10 });
    expect(getBucket('login_failures_of_account', 'default')).toEqual({ intervalMs: 180_000, burst: 5 });
    expect(getBucket('http', 'default')).toEqual({ intervalMs: 100, burst: 600 });
    expect(getBucket('socket_frames', 'default')).toEqual({ intervalMs: 200, burst: 100 });
  });
});

// The parameters of `local.take` are the key of the bucket, the cost, the limits of the bucket, and the time.
describe('LocalRateLimiter', () => {
  /** `MAX_BUCKETS` of the limiter. */
  const MAX_BUCKETS = 50_000;
  const bucket = { intervalMs: 1_000, burst: 1 };

  it('limits each key separately', () => {
    const local = new LocalRateLimiter();
    expect(local.take('a', 1, bucket, 0).allowed).toBe(true);
    expect(local.take('a', 1, bucket, 0).allowed).toBe(false);
    expect(local.take('b', 1, bucket, 0).allowed).toBe(true);
    expect(local.take('a', 1, bucket, 1_000).allowed).toBe(true);
  });

  it('keeps a bounded number of buckets under a flood of keys, among them the newest', () => {
    const local = new LocalRateLimiter();
    const keyCount = 120_000; // more than twice the maximum
    for (let count = 1; count <= keyCount; count += 1) local.take(`key-${count}`, 1, bucket, 0);
    const { fullAtMsByKey } = local as unknown as { fullAtMsByKey: Map<string, number> };
    expect(fullAtMsByKey.size).toBeLessThanOrEqual(MAX_BUCKETS);
    expect(local.take(`key-${keyCount}`, 1, bucket, 0).allowed).toBe(false);
  });

  it('evicts the buckets that were used least recently', () => {
    const local = new LocalRateLimiter();
    local.take('busy', 1, bucket, 0);
    // `busy` is used again shortly before the maximum number of buckets is exceeded.
    const usedAgainAt = MAX_BUCKETS - 10;
    for (let count = 1; count <= usedAgainAt; count += 1) local.take(`key-${count}`, 1, bucket, 0);
    local.take('busy', 1, bucket, 0);
    for (let count = usedAgainAt + 1; count <= MAX_BUCKETS + 10; count += 1)
      local.take(`key-${count}`, 1, bucket, 0);
    expect(local.take('key-1', 1, bucket, 0).allowed).toBe(true); // a bucket that was evicted counts as full
    expect(local.take('busy', 1, bucket, 0).allowed).toBe(false);
  });

  it('removes full buckets even without further calls, and has no timer when none is left', () => {
    jest.useFakeTimers();
    try {
      const local = new LocalRateLimiter();
      const { fullAtMsByKey } = local as unknown as { fullAtMsByKey: Map<string, number> };
      local.take('full-after-1-s', 1, bucket, Date.now());
      local.take('full-after-15-s', 1, { intervalMs: 15_000, burst: 1 }, Date.now());
      jest.advanceTimersByTime(10_000);
      expect([...fullAtMsByKey.keys()]).toEqual(['full-after-15-s']);
      jest.advanceTimersByTime(10_000);
      expect(fullAtMsByKey.size).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
