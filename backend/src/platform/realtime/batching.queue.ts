import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

interface Batch<Item> {
  items: Set<Item>;
  /** Resolves when the items have been handled. */
  handled: Promise<void>;
}

/** Maximum time that a batch waits for the previous one, which may never end, as on a half-open connection. */
const MAX_WAIT_FOR_PREVIOUS_MS = 1_000;

/**
 * Collects distinct items and handles them in batches. Batches start at least `everyMs` apart, and after the previous
 * one has ended or stalled. After a quiet period an item is handled immediately.
 */
export class BatchingQueue<Item> {
  /** The batch that collects new items, until its handling starts. */
  private collecting: Batch<Item> | undefined;
  /** Resolves when the newest batch has been handled or has failed. The next batch waits for it. */
  private newestHandled: Promise<unknown> = Promise.resolve();
  /** When the handling of the latest batch started (monotonic). */
  private startedAt = -Infinity;

  constructor(
    private readonly everyMs: number,
    private readonly handle: (items: readonly Item[]) => Promise<void>,
  ) {}

  /** Resolves when the item's batch has been handled. @throws the error of `handle`, to the caller of each item. */
  add(item: Item): Promise<void> {
    this.collecting ??= this.startCollecting();
    this.collecting.items.add(item);
    return this.collecting.handled;
  }

  private startCollecting(): Batch<Item> {
    const items = new Set<Item>();
    const handled = this.handleWhenDue(items, this.newestHandled);
    this.newestHandled = handled.catch(() => undefined); // the callers of `add` receive the error
    return { items, handled };
  }

  private async handleWhenDue(items: ReadonlySet<Item>, previous: Promise<unknown>): Promise<void> {
    await Promise.race([previous, wait(MAX_WAIT_FOR_PREVIOUS_MS, undefined, { ref: false })]);
    const waitMs = this.startedAt + this.everyMs - performance.now();
    if (waitMs > 0) await wait(waitMs);
    this.collecting = undefined;
    this.startedAt = performance.now();
    await this.handle([...items]);
  }
}
