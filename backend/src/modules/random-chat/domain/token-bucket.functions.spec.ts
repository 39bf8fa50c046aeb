import fc from 'fast-check';
import { type Bucket, type Rate, takeToken, computeMsUntilToken } from './token-bucket.functions';

/** Takes tokens until none is available at `nowMs`. */
const takeAllTokens = (
  bucket: Bucket | undefined,
  nowMs: number,
  rate: Rate,
): { bucket: Bucket | undefined; takenCount: number } => {
  let takenCount = 0;
  while (computeMsUntilToken(bucket, nowMs, rate) === 0) {
    bucket = takeToken(bucket, nowMs, rate);
    takenCount += 1;
  }
  return { bucket, takenCount };
};

test('a token bucket allows no second burst as long as each refilled token is taken immediately', () => {
  const intervalMs = 1_000;
  const burst = 60;
  const rate = { intervalMs, burst };
  let { bucket, takenCount } = takeAllTokens(undefined, 0, rate);
  expect(takenCount).toBe(burst);
  // Longer than an unused bucket needs to become full again.
  const endMs = (burst + 4) * intervalMs;
  for (let nowMs = intervalMs; nowMs <= endMs; nowMs += intervalMs) {
    ({ bucket, takenCount } = takeAllTokens(bucket, nowMs, rate));
    expect(takenCount).toBe(1);
  }
  expect(computeMsUntilToken(bucket, endMs, rate)).toBe(intervalMs);
});

test('a token bucket allows the same events as GCRA, an equivalent algorithm', () => {
  const rates = fc.record({
    intervalMs: fc.integer({ min: 1, max: 5_000 }),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  const gapsMs = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(rates, gapsMs, (rate, gaps) => {
      let bucket: Bucket | undefined;
      // GCRA stores one timestamp, the theoretical arrival time, instead of tokens and a timestamp.
      let [nowMs, theoreticalArrivalMs] = [0, 0];
      for (const gapMs of gaps) {
        nowMs += gapMs;
        const nextArrivalMs = Math.max(nowMs, theoreticalArrivalMs) + rate.intervalMs;
        const allowedAtMs = nextArrivalMs - rate.burst * rate.intervalMs;
        const waitMs = computeMsUntilToken(bucket, nowMs, rate);
        // The bucket rounds the wait up to a whole millisecond.
        expect(Math.abs(waitMs - Math.max(0, allowedAtMs - nowMs))).toBeLessThanOrEqual(1);
        if (waitMs > 0) continue;
        bucket = takeToken(bucket, nowMs, rate);
        theoreticalArrivalMs = nextArrivalMs;
      }
    }),
  );
});

test('a token is available after the reported time to wait, and not 1 ms earlier', () => {
  // The interval is no whole number, so the wait of 233.3 ms is rounded up.
  const rate = { intervalMs: 333.3, burst: 3 };
  const { bucket } = takeAllTokens(undefined, 1_000, rate);
  const nowMs = 1_100;
  const waitMs = computeMsUntilToken(bucket, nowMs, rate);
  expect(computeMsUntilToken(bucket, nowMs + waitMs, rate)).toBe(0);
  expect(computeMsUntilToken(bucket, nowMs + waitMs - 1, rate)).toBeGreaterThan(0);
});
