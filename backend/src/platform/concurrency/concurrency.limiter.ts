import { DomainError } from '../errors/domain.errors';

/** Bounded concurrency with a bounded FIFO queue; rejects on overflow. */
export class ConcurrencyLimiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * @param concurrency maximum number of slots held at the same time
   * @param maxQueued maximum number of callers waiting for a slot
   */
  constructor(
    private readonly concurrency: number,
    private readonly maxQueued: number,
  ) {}

  /** Whether no caller holds a slot. Then no caller waits for one either. */
  get isIdle(): boolean {
    return this.running === 0;
  }

  /** Whether a caller would get a slot or a place in the queue. */
  get hasRoom(): boolean {
    return this.running < this.concurrency || this.waiting.length < this.maxQueued;
  }

  /**
   * Waits for a slot.
   * @returns a function that releases the slot; calling it again does nothing.
   * @throws DomainError unavailable when the queue is full.
   */
  async acquire(): Promise<() => void> {
    if (!this.hasRoom) throw new DomainError('unavailable');
    if (this.running < this.concurrency) this.running += 1;
    // The caller that releases a slot passes it on, without changing `running`.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const passOn = this.waiting.shift();
      if (passOn) passOn();
      else this.running -= 1;
    };
  }

  /** Runs `work` in a slot. @throws DomainError unavailable when the queue is full; whatever `work` throws. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
