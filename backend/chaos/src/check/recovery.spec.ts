import { percentile, returnsAfter, slowness } from './recovery';

const well = () => false;

it('takes the value at a rank as a percentile', () => {
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([5, 1, 3], 0.99)).toBe(5);
});

it('measures the first attempt after each healing', () => {
  const attempts = [
    { startedAt: 900, failedAt: 950 },
    { startedAt: 1_200, arrivedAt: 1_300 },
  ];
  expect(returnsAfter([1_000], attempts, well)).toEqual([100]);
});

it('measures no attempt during which another fault began', () => {
  expect(returnsAfter([1_000], [{ startedAt: 1_200 }], () => true)).toEqual([]);
});

it('reports attempts that fail or take longer than two seconds after healing', () => {
  expect(slowness({ fresh: [100], returns: [100, undefined] }, 1)).toHaveLength(1);
  expect(slowness({ fresh: [100], returns: [2_500] }, 1)).toHaveLength(1);
  expect(slowness({ fresh: [100], returns: [1_900] }, 1)).toEqual([]);
});

it('reports fresh clients that take too long or never get through', () => {
  expect(slowness({ fresh: [11_000], returns: [] }, 1)).toHaveLength(1);
  expect(slowness({ fresh: [undefined], returns: [] }, 1)).toHaveLength(1);
});
