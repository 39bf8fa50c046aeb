import { percentile, measureReturns, findSlowRecoveries } from './recovery';

const isNeverFaulty = () => false;

it('percentile returns the value at the nearest rank', () => {
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([5, 1, 3], 0.99)).toBe(5);
});

it('measureReturns measures the first attempt after each recovery', () => {
  const attempts = [
    { startedAt: 900, failedAt: 950 },
    { startedAt: 1_200, authenticatedAt: 1_300 },
  ];
  expect(measureReturns([1_000], attempts, isNeverFaulty)).toEqual([100]);
});

it('measureReturns skips attempts during which another fault began', () => {
  expect(measureReturns([1_000], [{ startedAt: 1_200 }], () => true)).toEqual([]);
});

it('findSlowRecoveries reports attempts after a recovery that fail or take longer than two seconds', () => {
  expect(findSlowRecoveries({ fresh: [100], returns: [100, undefined] }, 1)).toHaveLength(1);
  expect(findSlowRecoveries({ fresh: [100], returns: [2_500] }, 1)).toHaveLength(1);
  expect(findSlowRecoveries({ fresh: [100], returns: [1_900] }, 1)).toEqual([]);
});

it('findSlowRecoveries reports fresh clients that take too long or never exchange messages', () => {
  expect(findSlowRecoveries({ fresh: [11_000], returns: [] }, 1)).toHaveLength(1);
  expect(findSlowRecoveries({ fresh: [undefined], returns: [] }, 1)).toHaveLength(1);
});
