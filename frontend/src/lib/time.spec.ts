import { formatMinutesAndSeconds } from '@/lib/time';

it.each([
  [0, '0:00'],
  [999, '0:00'],
  [7_000, '0:07'],
  [60_000, '1:00'],
  [760_000, '12:40'],
  [-5, '0:00'],
])('formatMinutesAndSeconds formats %d ms as %s', (durationMs, expected) => {
  expect(formatMinutesAndSeconds(durationMs)).toBe(expected);
});
