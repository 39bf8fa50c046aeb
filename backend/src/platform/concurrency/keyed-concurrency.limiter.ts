import { ConcurrencyLimiter } from './concurrency.limiter';

/** One `ConcurrencyLimiter` per key, for instance per user. An unused key takes no memory. */
export class KeyedConcurrencyLimiter<Key> {
  private readonly limiters = new Map<Key, ConcurrencyLimiter>();

  /**
   * @param concurrency maximum number of turns held at the same time, per key
   * @param maxQueued maximum number of callers waiting for a turn, per key
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
   * Waits for a turn of this key.
   * @returns a function that releases the turn; further calls do nothing.
   * @throws DomainError unavailable when the key's queue is full.
   */
  async enter(key: Key): Promise<() => void> {
    let limiters = this.limiters.get(key);
    if (!limiters)
      this.limiters.set(key, (limiters = new ConcurrencyLimiter(this.concurrency, this.maxQueued)));
    const leave = await limiters.enter();
    return () => {
      leave();
      // A late second call must not delete a limiter created since.
      if (limiters.isIdle && this.limiters.get(key) === limiters) this.limiters.delete(key);
    };
  }
}
