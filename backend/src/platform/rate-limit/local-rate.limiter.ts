import { take as takeTokens } from './gcra.functions';

/** With more buckets than this, those used least recently are evicted until half are left. */
const MAX_BUCKETS = 50_000;
/** How often the entries of full buckets are removed. */
const SWEEP_EVERY_MS = 10_000;

/** Rate limits of this process only, for the time while Redis is unavailable. */
export class LocalRateLimiter {
  /** When each bucket is full again (epoch ms), by key. A bucket without an entry is full. */
  private readonly fullAtMsByKey = new Map<string, number>();
  private sweepTimer: NodeJS.Timeout | undefined;

  /**
   * Takes `cost` tokens from a bucket if it has that many.
   * @param key identifies the bucket.
   * @param bucket `intervalMs`: time in which one token is refilled; `burst`: tokens in a full bucket.
   * @param nowMs epoch ms, as from `Date.now()`.
   * @returns `retryAfterMs`: 0 when allowed.
   */
  take(
    key: string,
    cost: number,
    bucket: { intervalMs: number; burst: number },
    nowMs: number,
  ): { allowed: boolean; retryAfterMs: number } {
    const previousFullAtMs = this.fullAtMsByKey.get(key) ?? 0;
    const { allowed, retryAfterMs, fullAtMs } = takeTokens(previousFullAtMs, nowMs, cost, bucket);
    // A Map keeps the order of insertion. Inserting the key again moves it to the end, so that the keys used least
    // recently come first.
    this.fullAtMsByKey.delete(key);
    this.fullAtMsByKey.set(key, fullAtMs);
    if (this.fullAtMsByKey.size > MAX_BUCKETS) this.evictHalf(nowMs);
    this.scheduleSweep();
    return { allowed, retryAfterMs };
  }

  /** Schedules the next sweep, unless one is scheduled. There is no timer without entries. */
  private scheduleSweep(): void {
    this.sweepTimer ??= setTimeout(() => {
      this.sweepTimer = undefined;
      this.removeFullBuckets(Date.now());
      if (this.fullAtMsByKey.size > 0) this.scheduleSweep();
    }, SWEEP_EVERY_MS).unref();
  }

  /** Removes the full buckets, and then those used least recently until half of MAX_BUCKETS are left. */
  private evictHalf(nowMs: number): void {
    this.removeFullBuckets(nowMs);
    // In a flood of requests from different addresses, no bucket has had time to refill, so memory has to be bounded by
    // eviction.
    for (const key of this.fullAtMsByKey.keys()) {
      if (this.fullAtMsByKey.size <= MAX_BUCKETS / 2) return;
      this.fullAtMsByKey.delete(key);
    }
  }

  private removeFullBuckets(nowMs: number): void {
    for (const [key, fullAtMs] of this.fullAtMsByKey) if (fullAtMs <= nowMs) this.fullAtMsByKey.delete(key);
  }
}
