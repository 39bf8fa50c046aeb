import { ConcurrencyLimiter } from './concurrency.limiter';
import { KeyedConcurrencyLimiter } from './keyed-concurrency.limiter';

const waitForNextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('runs a bounded number of callers at once, queues a bounded number in order, and refuses the rest', async () => {
  const turns = new ConcurrencyLimiter(2, 2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await turns.enter();
    entered.push(name);
    return leave;
  };
  const [first, , third] = ['first', 'second', 'third', 'fourth'].map(enter);
  await expect(enter('fifth')).rejects.toMatchObject({ code: 'unavailable' });
  await waitForNextTurn();
  expect(entered).toEqual(['first', 'second']);

  const leave = await first!;
  leave();
  leave(); // a second call has no effect
  await waitForNextTurn();
  expect(entered).toEqual(['first', 'second', 'third']);

  (await third!)();
  await waitForNextTurn();
  expect(entered).toEqual(['first', 'second', 'third', 'fourth']);
});

it('passes the turn on when work fails', async () => {
  const turns = new ConcurrencyLimiter(1, 0);
  for (let round = 0; round < 3; round += 1) {
    await expect(turns.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  }
  await expect(turns.run(async () => 'done')).resolves.toBe('done');
});

it('limits each key separately and forgets keys that are not in use', async () => {
  const turns = new KeyedConcurrencyLimiter<string>(1, 1);
  const leaveAda = await turns.enter('ada');
  const leaveBob = await turns.enter('bob');
  const second = turns.enter('ada');
  await expect(turns.enter('ada')).rejects.toMatchObject({ code: 'unavailable' });
  expect(turns.size).toBe(2);
  leaveBob();
  const leaveBobAgain = await turns.enter('bob');
  leaveBob();
  expect(turns.size).toBe(2);
  leaveBobAgain();
  expect(turns.size).toBe(1);
  leaveAda();
  const leaveAgain = await second;
  expect(turns.size).toBe(1);
  leaveAgain();
  expect(turns.size).toBe(0);
});
