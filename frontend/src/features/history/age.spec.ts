import { formatAge } from '@/features/history/age';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-11-20T12:00:00.000Z');

it.each([
  [-5 * minute, 'A few minutes ago'],
  [0, 'A few minutes ago'],
  [hour - 1, 'A few minutes ago'],
  [hour, '1 hour ago'],
  [2 * hour - 1, '1 hour ago'],
  [2 * hour, '2 hours ago'],
  [day - 1, '23 hours ago'],
  [day, '1 day ago'],
  [2 * day - 1, '1 day ago'],
  [2 * day, '2 days ago'],
  [400 * day, '400 days ago'],
])("shows an age of %i ms as '%s'", (ageMs, label) => {
  expect(formatAge(now - ageMs, now)).toBe(label);
});
