import fc from 'fast-check';
import { type Bucket, type Rate, takeToken, computeMsUntilToken } from './token-bucket.functions';

/** Takes all tokens that are available at a time. */
const takeAll = (
  bucket: Bucket | undefined,
  at: number,
  rate: Rate,
): { bucket: Bucket | undefined; taken: number } => {
  let taken = 0;
  while (computeMsUntilToken(bucket, at, rate) === 0) {
    bucket = takeToken(bucket, at, rate);
    taken += 1;
  }
  return { bucket, taken };
};

test('a token bucket allows no second burst while one token a second is taken', () => {
  const rate = { intervalMs: 1_000, burst: 60 };
  let { bucket, taken } = takeAll(undefined, 0, rate);
  expect(taken).toBe(60);
  for (let second = 1; second <= 64; second += 1) {
    ({ bucket, taken } = takeAll(bucket, second * 1_000, rate));
    expect(taken).toBe(1);
  }
  expect(computeMsUntilToken(bucket, 64_000, rate)).toBe(1_000);
});

test('a token bucket allows exactly the burst and the refilled tokens in any period', () => {
  const rates = fc.record({
    intervalMs: fc.integer({ min: 1, max: 5_000 }),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(rates, fc.array(fc.nat(20_000), { minLength: 1, maxLength: 40 }), (rate, gaps) => {
      let bucket: Bucket | undefined;
      let [at, theoreticalArrival] = [0, 0];
      for (const gap of gaps) {
        at += gap;
        // The reference is GCRA, which keeps one timestamp instead of tokens and a timestamp.
        const allowedAt = Math.max(at, theoreticalArrival) + rate.intervalMs - rate.burst * rate.intervalMs;
        const waitMs = computeMsUntilToken(bucket, at, rate);
        expect(Math.abs(waitMs - Math.max(0, allowedAt - at))).toBeLessThanOrEqual(1);
        if (waitMs > 0) continue;
        bucket = takeToken(bucket, at, rate);
        theoreticalArrival = Math.max(at, theoreticalArrival) + rate.intervalMs;
      }
    }),
  );
});

test('a token is available after the reported time to wait', () => {
  const rate = { intervalMs: 333.3, burst: 3 };
  const { bucket } = takeAll(undefined, 1_000, rate);
  const waitMs = computeMsUntilToken(bucket, 1_100, rate);
  expect(computeMsUntilToken(bucket, 1_100 + waitMs, rate)).toBe(0);
  expect(computeMsUntilToken(bucket, 1_100 + waitMs - 2, rate)).toBeGreaterThan(0);
});
