import { percentile, measureReconnects, findRecoveryViolations } from './recovery';

/** In place of a duration: the attempt to reconnect or to exchange messages failed. */
const FAILED = undefined;
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
  const hadFaultBetween = () => false;
  expect(measureReconnects([1_000], attempts, hadFaultBetween)).toEqual([100]);
});

it('measureReconnects skips attempts during which a fault was active', () => {
  const hadFaultBetween = () => true;
  expect(measureReconnects([1_000], [{ startedAt: 1_200 }], hadFaultBetween)).toEqual([]);
});

it('findRecoveryViolations reports attempts after a recovery that fail or take longer than two seconds', () => {
  expect(findRecoveryViolations({ fresh: [100], reconnects: [100, FAILED] }, NO_SLOWDOWN)).toHaveLength(1);
  expect(findRecoveryViolations({ fresh: [100], reconnects: [2_500] }, NO_SLOWDOWN)).toHaveLength(1);
  expect(findRecoveryViolations({ fresh: [100], reconnects: [1_900] }, NO_SLOWDOWN)).toEqual([]);
});

it('findRecoveryViolations reports fresh clients that exchange messages after more than ten seconds or never', () => {
  expect(findRecoveryViolations({ fresh: [11_000], reconnects: [] }, NO_SLOWDOWN)).toHaveLength(1);
  expect(findRecoveryViolations({ fresh: [FAILED], reconnects: [] }, NO_SLOWDOWN)).toHaveLength(1);
});
