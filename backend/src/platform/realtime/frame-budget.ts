/** A token bucket for the frames of one socket. */
export class FrameBudget {
  private tokens: number;
  private refilledAt: number;

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
    now: number,
  ) {
    this.tokens = burst;
    this.refilledAt = now;
  }

  /** Takes one token; 0, or the milliseconds until there is one. */
  take(now: number): number {
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.refilledAt) / 1_000) * this.perSecond);
    this.refilledAt = now;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.tokens) / this.perSecond) * 1_000);
  }
}
