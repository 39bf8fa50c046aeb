import { performance } from 'node:perf_hooks';
import { until } from '../../testing/until.functions';
import { BatchingQueue } from './batching.queue';

/** Batches start at least this far apart. */
const EVERY_MS = 40;

describe('BatchingQueue', () => {
  it('handles the items that wait for the next batch together, and each of them once', async () => {
    const batches: (readonly number[])[] = [];
    const queue = new BatchingQueue<number>(EVERY_MS, async (items) => {
      batches.push(items);
    });
    await queue.add(1);
    await Promise.all([queue.add(2), queue.add(3), queue.add(2)]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('waits between the starts of two batches', async () => {
    const startedAt: number[] = [];
    const queue = new BatchingQueue<number>(EVERY_MS, async () => {
      startedAt.push(performance.now());
    });
    await queue.add(1);
    await queue.add(2);
    const [first = 0, second = 0] = startedAt;
    // Node timers may fire slightly early.
    expect(second - first).toBeGreaterThan(EVERY_MS / 2);
  });

  it('starts a batch only after the previous one has ended', async () => {
    const batches: (readonly number[])[] = [];
    const releases: (() => void)[] = [];
    const queue = new BatchingQueue<number>(1, (items) => {
      batches.push(items);
      return new Promise((resolve) => releases.push(resolve));
    });
    const added = [queue.add(1)];
    await until(() => releases.length === 1);
    added.push(queue.add(2), queue.add(3));
    expect(batches).toEqual([[1]]);
    releases[0]?.();
    await until(() => releases.length === 2);
    expect(batches).toEqual([[1], [2, 3]]);
    releases[1]?.();
    await Promise.all(added);
  });

  it('starts the next batch after 1,000 ms if the previous one has not ended', async () => {
    const batches: (readonly number[])[] = [];
    const queue = new BatchingQueue<number>(1, (items) => {
      batches.push(items);
      return items.includes(1) ? new Promise(() => undefined) : Promise.resolve();
    });
    void queue.add(1);
    await until(() => batches.length === 1);
    await queue.add(2);
    expect(batches).toEqual([[1], [2]]);
  });

  it('rejects only the items of a failed batch', async () => {
    const queue = new BatchingQueue<number>(1, async (items) => {
      if (items.includes(1)) throw new Error('refused');
    });
    await expect(queue.add(1)).rejects.toThrow('refused');
    await expect(queue.add(2)).resolves.toBeUndefined();
  });
});
