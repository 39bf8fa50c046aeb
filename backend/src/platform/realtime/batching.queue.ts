import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

interface Batch<Item> {
  items: Set<Item>;
  handled: Promise<void>;
}

/** A batch that takes longer does not hold up the next one: its connection may be half open. */
const STALLED_MS = 1_000;

/**
 * Gathers items and hands them over together: one batch after the other, and one each `everyMs` at most. An item that
 * comes after a quiet time is handed over at once.
 */
export class BatchingQueue<Item> {
  /** What is added now goes into this one. */
  private next: Batch<Item> | undefined;
  private previous: Promise<unknown> = Promise.resolve();
  private startedAt = -Infinity;

  constructor(
    private readonly everyMs: number,
    private readonly handle: (items: readonly Item[]) => Promise<void>,
  ) {}

  /** Resolves when the batch of the item was handled. @throws what `handle` throws, for every item of the batch. */
  add(item: Item): Promise<void> {
    this.next ??= this.begin();
    this.next.items.add(item);
    return this.next.handled;
  }

  private begin(): Batch<Item> {
    const items = new Set<Item>();
    const handled = this.run(items, this.previous);
    this.previous = handled.catch(() => undefined); // it is the business of those who wait for it
    return { items, handled };
  }

  private async run(items: ReadonlySet<Item>, previous: Promise<unknown>): Promise<void> {
    await Promise.race([previous, wait(STALLED_MS, undefined, { ref: false })]);
    const waitMs = this.startedAt + this.everyMs - performance.now();
    if (waitMs > 0) await wait(waitMs);
    this.next = undefined;
    this.startedAt = performance.now();
    await this.handle([...items]);
  }
}
