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

  /** Whether no caller holds a slot or waits for one: callers wait only while every slot is held. */
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
    if (this.running < this.concurrency) this.running += 1;
    else if (this.waiting.length < this.maxQueued)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    else throw new DomainError('unavailable');
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = this.waiting.shift();
      // The next caller takes over this slot, so `running` does not change.
      if (next) next();
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
