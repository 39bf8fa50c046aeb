/** Upper bound of the first bucket, in ms. Each further bound is twice the previous one. */
const FIRST_BOUND_MS = 0.125;
/** The last bound is 8.192 s; a further bucket counts longer durations. */
const BOUND_COUNT = 17;

/** Upper bounds of the buckets, in seconds. */
export const durationBoundsInSeconds: readonly number[] = Array.from(
  { length: BOUND_COUNT },
  (_, index) => (FIRST_BOUND_MS * 2 ** index) / 1_000,
);

/**
 * A histogram of durations. It is used instead of prom-client's for durations that are measured with every frame: an
 * observation takes a few nanoseconds and allocates nothing.
 */
export class DurationHistogram {
  /** Observations by bucket; the last bucket has no upper bound. */
  readonly counts: number[] = new Array<number>(BOUND_COUNT + 1).fill(0);
  sumMs = 0;

  /** @param ms the duration. A negative one, which results from clocks that differ, counts as 0. */
  observe(ms: number): void {
    const duration = ms > 0 ? ms : 0;
    this.sumMs += duration;
    // How many multiples of the first bound are below the duration.
    const multiples = Math.ceil(duration / FIRST_BOUND_MS) - 1;
    // Each bound is twice the previous one, so the index of the bucket is the number of binary digits of `multiples`:
    // 1 for 1, 2 for 2 and 3, 3 for 4 to 7, and so on. The minimum keeps the operand within 32 bits.
    const index = multiples <= 0 ? 0 : 32 - Math.clz32(Math.min(multiples, 2 ** BOUND_COUNT));
    const bucket = Math.min(index, BOUND_COUNT);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }
}
