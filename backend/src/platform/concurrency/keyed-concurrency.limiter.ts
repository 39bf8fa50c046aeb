import { ConcurrencyLimiter } from './concurrency.limiter';

/** `ConcurrencyLimiter` for each key apart, for instance for each user. A key in use by no caller takes no memory. */
export class KeyedConcurrencyLimiter<Key> {
  private readonly turns = new Map<Key, ConcurrencyLimiter>();

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
    return this.turns.size;
  }

  /**
   * Waits for a turn of this key.
   * @returns a function that gives the turn back; further calls do nothing.
   * @throws DomainError unavailable when the key's queue is full.
   */
  async enter(key: Key): Promise<() => void> {
    let turns = this.turns.get(key);
    if (!turns) this.turns.set(key, (turns = new ConcurrencyLimiter(this.concurrency, this.maxQueued)));
    const leave = await turns.enter();
    return () => {
      leave();
      // A late second call must not forget turns that began since.
      if (turns.isIdle && this.turns.get(key) === turns) this.turns.delete(key);
    };
  }
}
