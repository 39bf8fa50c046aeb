import { sideways } from '@/lib/swipe';

it.each([
  ['to the right', { x: 60, y: 5 }, 60],
  ['to the left', { x: -60, y: -5 }, -60],
  ['up and down', { x: 20, y: 80 }, 0],
  ['aslant', { x: 40, y: 40 }, 0],
  ['a tap that trembles', { x: 4, y: 1 }, 0],
])('measures a movement %s', (_what, to, distance) => {
  expect(sideways({ x: 0, y: 0 }, to)).toBe(distance);
});
