import { take } from './gcra';

/** More subjects than this, and those that owe nothing any more are forgotten. */
const MAX_SUBJECTS = 50_000;

/** Buckets in this process alone, for when Redis is away. */
export class LocalBuckets {
  private readonly paidUntil = new Map<string, number>();

  take(
    key: string,
    cost: number,
    bucket: { intervalMs: number; burst: number },
    nowMs: number,
  ): { allowed: boolean; retryAfterMs: number } {
    const { allowed, retryAfterMs, paidUntilMs } = take(this.paidUntil.get(key) ?? 0, nowMs, cost, bucket);
    this.paidUntil.set(key, paidUntilMs);
    if (this.paidUntil.size > MAX_SUBJECTS) this.forget(nowMs);
    return { allowed, retryAfterMs };
  }

  private forget(nowMs: number): void {
    for (const [key, paidUntilMs] of this.paidUntil) if (paidUntilMs <= nowMs) this.paidUntil.delete(key);
    // All of them owe something: a flood of addresses. Forgetting the oldest bounds the memory.
    for (const key of this.paidUntil.keys()) {
      if (this.paidUntil.size <= MAX_SUBJECTS / 2) return;
      this.paidUntil.delete(key);
    }
  }
}
