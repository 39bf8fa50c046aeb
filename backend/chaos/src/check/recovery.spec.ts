import { percentile, returnsAfter, slowness } from './recovery';

const well = () => false;

it('percentile returns the value at the nearest rank', () => {
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([5, 1, 3], 0.99)).toBe(5);
});

it('returnsAfter measures the first attempt after each recovery', () => {
  const attempts = [
    { startedAt: 900, failedAt: 950 },
    { startedAt: 1_200, arrivedAt: 1_300 },
  ];
  expect(returnsAfter([1_000], attempts, well)).toEqual([100]);
});

it('returnsAfter skips attempts during which another fault began', () => {
  expect(returnsAfter([1_000], [{ startedAt: 1_200 }], () => true)).toEqual([]);
});

it('slowness reports attempts after a recovery that fail or take longer than two seconds', () => {
  expect(slowness({ fresh: [100], returns: [100, undefined] }, 1)).toHaveLength(1);
  expect(slowness({ fresh: [100], returns: [2_500] }, 1)).toHaveLength(1);
  expect(slowness({ fresh: [100], returns: [1_900] }, 1)).toEqual([]);
});

it('slowness reports fresh clients that take too long or never exchange messages', () => {
  expect(slowness({ fresh: [11_000], returns: [] }, 1)).toHaveLength(1);
  expect(slowness({ fresh: [undefined], returns: [] }, 1)).toHaveLength(1);
});
