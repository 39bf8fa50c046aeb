import { horizontalDistance } from '@/lib/swipe';

it.each([
  ['to the right', { x: 60, y: 5 }, 60],
  ['to the left', { x: -60, y: -5 }, -60],
  ['up and down', { x: 20, y: 80 }, 0],
  ['a diagonal movement', { x: 40, y: 40 }, 0],
  ['an unsteady tap', { x: 4, y: 1 }, 0],
])('returns the distance of a movement %s', (_direction, to, distance) => {
  expect(horizontalDistance({ x: 0, y: 0 }, to)).toBe(distance);
});
