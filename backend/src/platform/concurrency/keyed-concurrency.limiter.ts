import { ConcurrencyLimiter } from './concurrency.limiter';

/** One `ConcurrencyLimiter` per key, for instance per user. An unused key takes no memory. */
export class KeyedConcurrencyLimiter<Key> {
  private readonly limiters = new Map<Key, ConcurrencyLimiter>();

  /**
   * @param concurrency maximum number of slots held at the same time, per key
   * @param maxQueued maximum number of callers waiting for a slot, per key
   */
  constructor(
    private readonly concurrency: number,
    private readonly maxQueued: number,
  ) {}

  /** Number of keys in use. */
  get size(): number {
    return this.limiters.size;
  }

  /**
   * Waits for a slot of this key.
   * @returns a function that releases the slot; calling it again does nothing.
   * @throws DomainError unavailable when the key's queue is full.
   */
  async acquire(key: Key): Promise<() => void> {
    const limiter = this.limiters.get(key) ?? new ConcurrencyLimiter(this.concurrency, this.maxQueued);
    this.limiters.set(key, limiter);
    const release = await limiter.acquire();
    return () => {
      release();
      // A late second call must not delete a limiter that was created for the key in the meantime.
      if (limiter.isIdle && this.limiters.get(key) === limiter) this.limiters.delete(key);
    };
  }
}
