import { ConcurrencyLimiter } from './concurrency.limiter';
import { KeyedConcurrencyLimiter } from './keyed-concurrency.limiter';

const waitForEventLoop = () => new Promise((resolve) => setImmediate(resolve));

describe('ConcurrencyLimiter', () => {
  it('runs a bounded number of callers at once, queues a bounded number in order, and refuses the rest', async () => {
    const [concurrency, maxQueued] = [2, 2];
    const limiter = new ConcurrencyLimiter(concurrency, maxQueued);
    const entered: string[] = [];
    const enter = async (name: string) => {
      const release = await limiter.acquire();
      entered.push(name);
      return release;
    };
    const [firstRelease, , thirdRelease] = ['first', 'second', 'third', 'fourth'].map(enter);
    await expect(enter('fifth')).rejects.toMatchObject({ code: 'unavailable' });
    await waitForEventLoop();
    expect(entered).toEqual(['first', 'second']);

    const release = await firstRelease!;
    release();
    release(); // a second call has no effect
    await waitForEventLoop();
    expect(entered).toEqual(['first', 'second', 'third']);

    (await thirdRelease!)();
    await waitForEventLoop();
    expect(entered).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('releases the slot when the work fails', async () => {
    const [concurrency, maxQueued] = [1, 0];
    const limiter = new ConcurrencyLimiter(concurrency, maxQueued);
    for (let round = 0; round < 3; round += 1) {
      await expect(limiter.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    await expect(limiter.run(async () => 'done')).resolves.toBe('done');
  });
});

describe('KeyedConcurrencyLimiter', () => {
  it('limits each key separately and forgets keys that are not in use', async () => {
    const [concurrency, maxQueued] = [1, 1];
    const limiter = new KeyedConcurrencyLimiter<string>(concurrency, maxQueued);
    const releaseAda = await limiter.acquire('ada');
    const releaseBob = await limiter.acquire('bob');
    const queuedAda = limiter.acquire('ada');
    await expect(limiter.acquire('ada')).rejects.toMatchObject({ code: 'unavailable' });
    expect(limiter.size).toBe(2);
    releaseBob();
    const releaseBobAgain = await limiter.acquire('bob');
    releaseBob(); // a second call does not release the slot of the later caller
    expect(limiter.size).toBe(2);
    releaseBobAgain();
    expect(limiter.size).toBe(1);
    releaseAda();
    const releaseAdaAgain = await queuedAda;
    expect(limiter.size).toBe(1);
    releaseAdaAgain();
    expect(limiter.size).toBe(0);
  });
});
