import { ConcurrencyLimiter } from './concurrency.limiter';
import { KeyedConcurrencyLimiter } from './keyed-concurrency.limiter';

const waitForEventLoop = () => new Promise((resolve) => setImmediate(resolve));

interface LimiterSettings {
  concurrency: number;
  maxQueued: number;
}

describe('ConcurrencyLimiter', () => {
  /** `enter` acquires a slot and then adds a name to `entered`. */
  const createLimiter = ({ concurrency, maxQueued }: LimiterSettings) => {
    const limiter = new ConcurrencyLimiter(concurrency, maxQueued);
    const entered: string[] = [];
    const enter = async (name: string) => {
      const release = await limiter.acquire();
      entered.push(name);
      return release;
    };
    return { limiter, entered, enter };
  };

  it('refuses a caller when all slots are held and the queue is full', async () => {
    const { entered, enter } = createLimiter({ concurrency: 2, maxQueued: 2 });
    for (const name of ['first', 'second', 'queued', 'also queued']) void enter(name);
    await expect(enter('refused')).rejects.toMatchObject({ code: 'unavailable' });
    await waitForEventLoop();
    expect(entered).toEqual(['first', 'second']);
  });

  it('gives each released slot to the caller that has waited longest', async () => {
    const { entered, enter } = createLimiter({ concurrency: 1, maxQueued: 2 });
    const first = enter('first');
    const second = enter('second');
    void enter('third');

    const releaseFirst = await first;
    releaseFirst();
    await waitForEventLoop();
    expect(entered).toEqual(['first', 'second']);

    const releaseSecond = await second;
    releaseSecond();
    await waitForEventLoop();
    expect(entered).toEqual(['first', 'second', 'third']);
  });

  it('releases only one slot when a release function is called twice', async () => {
    const { entered, enter } = createLimiter({ concurrency: 2, maxQueued: 2 });
    const first = enter('first');
    for (const name of ['second', 'third', 'fourth']) void enter(name);
    const releaseFirst = await first;
    releaseFirst();
    releaseFirst();
    await waitForEventLoop();
    expect(entered).toEqual(['first', 'second', 'third']);
  });

  it('releases the slot when the work fails', async () => {
    const { limiter } = createLimiter({ concurrency: 1, maxQueued: 0 });
    for (let round = 0; round < 3; round += 1) {
      await expect(limiter.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    await expect(limiter.run(async () => 'done')).resolves.toBe('done');
  });
});

describe('KeyedConcurrencyLimiter', () => {
  const createLimiter = ({ concurrency, maxQueued }: LimiterSettings) =>
    new KeyedConcurrencyLimiter<string>(concurrency, maxQueued);

  it('limits each key separately', async () => {
    const limiter = createLimiter({ concurrency: 1, maxQueued: 1 });
    await limiter.acquire('ada');
    void limiter.acquire('ada'); // waits
    await expect(limiter.acquire('ada')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(limiter.acquire('bob')).resolves.toEqual(expect.any(Function));
  });

  it('forgets a key when its last slot is released', async () => {
    const limiter = createLimiter({ concurrency: 1, maxQueued: 1 });
    const releaseAda = await limiter.acquire('ada');
    const queuedAda = limiter.acquire('ada');
    const releaseBob = await limiter.acquire('bob');
    expect(limiter.size).toBe(2);
    releaseBob();
    expect(limiter.size).toBe(1);
    releaseAda();
    const releaseQueuedAda = await queuedAda;
    expect(limiter.size).toBe(1);
    releaseQueuedAda();
    expect(limiter.size).toBe(0);
  });

  it('does not release the slot of a later caller when a release function is called twice', async () => {
    const limiter = createLimiter({ concurrency: 1, maxQueued: 0 });
    const release = await limiter.acquire('ada');
    release();
    const releaseLater = await limiter.acquire('ada');
    release();
    expect(limiter.size).toBe(1);
    await expect(limiter.acquire('ada')).rejects.toMatchObject({ code: 'unavailable' });
    releaseLater();
    expect(limiter.size).toBe(0);
  });
});
