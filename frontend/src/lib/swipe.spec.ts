import { measureHorizontalSwipe } from '@/lib/swipe';

it.each([
  ['right', { x: 60, y: 5 }, 60],
  ['left', { x: -60, y: -5 }, -60],
  ['mostly vertical', { x: 20, y: 80 }, 0],
  ['diagonal', { x: 40, y: 40 }, 0],
  ['tiny, like an unsteady tap', { x: 4, y: 1 }, 0],
])('measures only clearly horizontal movements: %s', (_movement, to, distance) => {
  expect(measureHorizontalSwipe({ x: 0, y: 0 }, to)).toBe(distance);
});
