import { formatAge } from '@/features/history/age';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-11-20T12:00:00.000Z');

it.each([
  // The local clock may be behind the server's.
  ['minus five minutes', -5 * minute, 'A few minutes ago'],
  ['no time', 0, 'A few minutes ago'],
  ['just under an hour', hour - 1, 'A few minutes ago'],
  ['an hour', hour, '1 hour ago'],
  ['just under two hours', 2 * hour - 1, '1 hour ago'],
  ['two hours', 2 * hour, '2 hours ago'],
  ['just under a day', day - 1, '23 hours ago'],
  ['a day', day, '1 day ago'],
  ['just under two days', 2 * day - 1, '1 day ago'],
  ['two days', 2 * day, '2 days ago'],
  ['400 days', 400 * day, '400 days ago'],
])('formats an age of %s (%i ms) as %j', (_what, ageMs, label) => {
  expect(formatAge(now - ageMs, now)).toBe(label);
});
