import { percentile, measureReconnects, findSlowRecoveries } from './recovery';

const isNeverFaulty = () => false;
const NO_SLOWDOWN = 1;

it('percentile returns the value at the nearest rank', () => {
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([5, 1, 3], 0.99)).toBe(5);
});

it('measureReconnects measures the first attempt after each recovery', () => {
  const attempts = [
    { startedAt: 900, failedAt: 950 },
    { startedAt: 1_200, authenticatedAt: 1_300 },
  ];
  expect(measureReconnects([1_000], attempts, isNeverFaulty)).toEqual([100]);
});

it('measureReconnects skips attempts during which a fault was active', () => {
  expect(measureReconnects([1_000], [{ startedAt: 1_200 }], () => true)).toEqual([]);
});

// In the arguments of findSlowRecoveries, undefined stands for a failure.

it('findSlowRecoveries reports attempts after a recovery that fail or take longer than two seconds', () => {
  expect(findSlowRecoveries({ fresh: [100], reconnects: [100, undefined] }, NO_SLOWDOWN)).toHaveLength(1);
  expect(findSlowRecoveries({ fresh: [100], reconnects: [2_500] }, NO_SLOWDOWN)).toHaveLength(1);
  expect(findSlowRecoveries({ fresh: [100], reconnects: [1_900] }, NO_SLOWDOWN)).toEqual([]);
});

it('findSlowRecoveries reports fresh clients that take too long or never exchange messages', () => {
  expect(findSlowRecoveries({ fresh: [11_000], reconnects: [] }, NO_SLOWDOWN)).toHaveLength(1);
  expect(findSlowRecoveries({ fresh: [undefined], reconnects: [] }, NO_SLOWDOWN)).toHaveLength(1);
});
