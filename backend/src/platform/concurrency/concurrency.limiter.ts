import { DomainError } from '../errors/domain.errors';

/** Bounded concurrency with a bounded FIFO queue; rejects on overflow. */
export class ConcurrencyLimiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * @param concurrency how many may hold a turn at the same time
   * @param maxQueued how many more may wait for one
   */
  constructor(
    private readonly concurrency: number,
    private readonly maxQueued: number,
  ) {}

  /** Whether no turn is held and none is waited for. */
  get isIdle(): boolean {
    return this.running === 0;
  }

  /**
   * Waits for a turn.
   * @returns a function that gives the turn back; further calls do nothing.
   * @throws DomainError unavailable when the queue is full.
   */
  async enter(): Promise<() => void> {
    if (this.running < this.concurrency) this.running += 1;
    else if (this.waiting.length < this.maxQueued)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    else throw new DomainError('unavailable');
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = this.waiting.shift();
      // The next in the queue takes over this turn, so `running` stays as it is.
      if (next) next();
      else this.running -= 1;
    };
  }

  /** Runs `work` in a turn. @throws DomainError unavailable when the queue is full; what `work` throws. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
