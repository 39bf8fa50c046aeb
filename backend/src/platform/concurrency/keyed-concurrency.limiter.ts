import { ConcurrencyLimiter } from './concurrency.limiter';

/** `ConcurrencyLimiter` for each key apart, for instance for each user. A key in use by no caller takes no memory. */
export class KeyedConcurrencyLimiter<Key> {
  private readonly limiters = new Map<Key, ConcurrencyLimiter>();

  /**
   * @param concurrency turns of one key at the same time
   * @param maxQueued how many more of one key may wait
   */
  constructor(
    private readonly concurrency: number,
    private readonly maxQueued: number,
  ) {}

  /** How many keys are in use. */
  get size(): number {
    return this.limiters.size;
  }

  /**
   * Waits for a turn of this key.
   * @returns a function that gives the turn back; further calls do nothing.
   * @throws DomainError unavailable when the key's queue is full.
   */
  async enter(key: Key): Promise<() => void> {
    let limiters = this.limiters.get(key);
    if (!limiters)
      this.limiters.set(key, (limiters = new ConcurrencyLimiter(this.concurrency, this.maxQueued)));
    const leave = await limiters.enter();
    return () => {
      leave();
      // A late second call must not forget turns that began since.
      if (limiters.isIdle && this.limiters.get(key) === limiters) this.limiters.delete(key);
    };
  }
}
