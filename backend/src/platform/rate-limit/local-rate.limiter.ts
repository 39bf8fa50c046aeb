import { take } from './gcra.functions';

/** With more subjects than this, the oldest are evicted. */
const MAX_SUBJECTS = 50_000;
const SWEEP_EVERY_MS = 10_000;

/** Rate limits of this process only, for when Redis is unavailable. Full buckets are removed. */
export class LocalRateLimiter {
  private readonly paidUntil = new Map<string, number>();
  private sweepTimer: NodeJS.Timeout | undefined;

  /** @param nowMs epoch ms, as from `Date.now()`. */
  take(
    key: string,
    cost: number,
    bucket: { intervalMs: number; burst: number },
    nowMs: number,
  ): { allowed: boolean; retryAfterMs: number } {
    const { allowed, retryAfterMs, paidUntilMs } = take(this.paidUntil.get(key) ?? 0, nowMs, cost, bucket);
    this.paidUntil.set(key, paidUntilMs);
    if (this.paidUntil.size > MAX_SUBJECTS) this.evict(nowMs);
    this.sweepTimer ??= setTimeout(() => this.sweep(), SWEEP_EVERY_MS).unref();
    return { allowed, retryAfterMs };
  }

  private sweep(): void {
    this.removeFull(Date.now());
    this.sweepTimer =
      this.paidUntil.size > 0 ? setTimeout(() => this.sweep(), SWEEP_EVERY_MS).unref() : undefined;
  }

  private evict(nowMs: number): void {
    this.removeFull(nowMs);
    // In a flood of addresses no bucket is full. Evicting the oldest ones bounds the memory.
    for (const key of this.paidUntil.keys()) {
      if (this.paidUntil.size <= MAX_SUBJECTS / 2) return;
      this.paidUntil.delete(key);
    }
  }

  /** A full bucket is the same as none. */
  private removeFull(nowMs: number): void {
    for (const [key, paidUntilMs] of this.paidUntil) if (paidUntilMs <= nowMs) this.paidUntil.delete(key);
  }
}
