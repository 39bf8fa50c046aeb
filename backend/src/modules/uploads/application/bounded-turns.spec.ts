import { BoundedTurns } from './bounded-turns';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('lets so many in, so many wait in order, and refuses the rest', async () => {
  const turns = new BoundedTurns(2, 2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await turns.enter();
    entered.push(name);
    return leave;
  };
  const [first, , third] = ['first', 'second', 'third', 'fourth'].map(enter);
  await expect(enter('fifth')).rejects.toMatchObject({ code: 'unavailable' });
  await nextTurn();
  expect(entered).toEqual(['first', 'second']);

  const leave = await first!;
  leave();
  leave(); // once is enough: it gives up one place only
  await nextTurn();
  expect(entered).toEqual(['first', 'second', 'third']);

  (await third!)();
  await nextTurn();
  expect(entered).toEqual(['first', 'second', 'third', 'fourth']);
});

it('has the place of a failed work again', async () => {
  const turns = new BoundedTurns(1, 0);
  for (let round = 0; round < 3; round += 1) {
    await expect(turns.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  }
  await expect(turns.run(async () => 'done')).resolves.toBe('done');
});
