import { performance } from 'node:perf_hooks';
import { until } from '../../testing/until.functions';
import { BatchingQueue } from './batching.queue';

const EVERY_MS = 40;

describe('BatchingQueue', () => {
  it('hands over at once what comes after a quiet time, and then what has gathered', async () => {
    const batches: (readonly number[])[] = [];
    const startedAt: number[] = [];
    const paced = new BatchingQueue<number>(EVERY_MS, async (items) => {
      batches.push(items);
      startedAt.push(performance.now());
    });
    await paced.add(1);
    await Promise.all([paced.add(2), paced.add(3), paced.add(2)]);
    expect(batches).toEqual([[1], [2, 3]]);
    const [first = 0, second = 0] = startedAt;
    // A timer of Node may fire a little early.
    expect(second - first).toBeGreaterThan(EVERY_MS / 2);
  });

  it('begins no batch before the one before it has ended', async () => {
    const batches: (readonly number[])[] = [];
    const releases: (() => void)[] = [];
    const paced = new BatchingQueue<number>(1, (items) => {
      batches.push(items);
      return new Promise((resolve) => releases.push(resolve));
    });
    const all = [paced.add(1)];
    await until(() => releases.length === 1);
    all.push(paced.add(2), paced.add(3));
    expect(batches).toEqual([[1]]);
    releases[0]?.();
    await until(() => releases.length === 2);
    expect(batches).toEqual([[1], [2, 3]]);
    releases[1]?.();
    await Promise.all(all);
  });

  it('begins the next batch after a second when one does not end', async () => {
    const batches: (readonly number[])[] = [];
    const paced = new BatchingQueue<number>(1, (items) => {
      batches.push(items);
      return items.includes(1) ? new Promise(() => undefined) : Promise.resolve();
    });
    void paced.add(1);
    await until(() => batches.length === 1);
    await paced.add(2);
    expect(batches).toEqual([[1], [2]]);
  });

  it('fails for the items of one batch alone', async () => {
    const paced = new BatchingQueue<number>(1, async (items) => {
      if (items.includes(1)) throw new Error('refused');
    });
    await expect(paced.add(1)).rejects.toThrow('refused');
    await expect(paced.add(2)).resolves.toBeUndefined();
  });
});
