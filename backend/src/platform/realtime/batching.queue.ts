import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

interface Batch<Item> {
  items: Set<Item>;
  handled: Promise<void>;
}

/** Maximum wait for the batch in progress, whose connection may be half open; then the next batch starts. */
const STALLED_MS = 1_000;

/**
 * Collects distinct items and handles them in batches: one batch at a time, at most one per `everyMs`. After a quiet
 * period an item is handled immediately.
 */
export class BatchingQueue<Item> {
  /** The batch that receives new items. */
  private next: Batch<Item> | undefined;
  private previous: Promise<unknown> = Promise.resolve();
  private startedAt = -Infinity;

  constructor(
    private readonly everyMs: number,
    private readonly handle: (items: readonly Item[]) => Promise<void>,
  ) {}

  /** Resolves when the item's batch has been handled. @throws the error of `handle`, for every item of the batch. */
  add(item: Item): Promise<void> {
    this.next ??= this.begin();
    this.next.items.add(item);
    return this.next.handled;
  }

  private begin(): Batch<Item> {
    const items = new Set<Item>();
    const handled = this.run(items, this.previous);
    this.previous = handled.catch(() => undefined); // reported to the callers of `add`
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
