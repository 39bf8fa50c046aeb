/** Upper bound of the first bucket, in ms. Each further bucket is twice as wide as the one before. */
const FIRST_BOUND_MS = 0.125;
/** The last bound is 8.192 s; a further bucket counts longer durations. */
const BOUND_COUNT = 17;

/** Upper bounds of the buckets, in seconds. */
export const durationBounds: readonly number[] = Array.from(
  { length: BOUND_COUNT },
  (_, index) => (FIRST_BOUND_MS * 2 ** index) / 1_000,
);

/**
 * Durations counted in buckets that double. It exists besides prom-client's histogram for what happens at every frame:
 * an observation takes a few nanoseconds and allocates nothing.
 */
export class DurationHistogram {
  /** Observations by bucket; the last bucket has no upper bound. */
  readonly counts: number[] = new Array<number>(BOUND_COUNT + 1).fill(0);
  sumMs = 0;

  /** @param ms negative durations, which differing clocks lead to, count as 0. */
  observe(ms: number): void {
    const duration = ms > 0 ? ms : 0;
    this.sumMs += duration;
    // The index of a bucket is the number of binary digits of the duration in units of the first bound.
    const units = Math.ceil(duration / FIRST_BOUND_MS) - 1;
    const index = units <= 0 ? 0 : 32 - Math.clz32(Math.min(units, 2 ** BOUND_COUNT));
    this.counts[Math.min(index, BOUND_COUNT)] = (this.counts[Math.min(index, BOUND_COUNT)] ?? 0) + 1;
  }
}
