import { noteServerDate, getServerNow } from '@/lib/server-clock';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const formatDateHeader = (timeMs: number): string => new Date(timeMs).toUTCString();
/** The `Date` header has whole seconds, so the server's time is on average half a second later than the header's. */
const meanTruncationMs = 500;
const hourMs = 3_600_000;

beforeEach(() => jest.useFakeTimers({ now }));
afterEach(() => {
  // Resets the estimated difference to zero.
  noteServerDate(formatDateHeader(Date.now()), Date.now(), Date.now());
  jest.useRealTimers();
});

it.each([
  ['ahead', -5 * 60_000],
  ['behind', 5 * 60_000],
])("getServerNow returns the server's time when the local clock is 5 minutes %s", (_direction, offsetMs) => {
  const serverMs = now + offsetMs;
  noteServerDate(formatDateHeader(serverMs), now - 100, now);
  expect(Math.abs(getServerNow() - serverMs)).toBeLessThan(1_000);
});

it('getServerNow returns the local time when the difference is within the precision of the Date header', () => {
  // Differences of about 2 s count as none, because the header has only whole seconds.
  noteServerDate(formatDateHeader(now - 2_000), now - 50, now);
  expect(getServerNow()).toBe(now);
  // The request took 10 s, and the server may have written the header at any time during it. So a header that differs
  // by 5 s from the middle of this time counts as equal, too.
  noteServerDate(formatDateHeader(now), now - 10_000, now);
  expect(getServerNow()).toBe(now);
});

it('noteServerDate ignores a missing or invalid Date header', () => {
  noteServerDate(formatDateHeader(now + hourMs), now, now);
  noteServerDate(null, now, now);
  noteServerDate('nonsense', now, now);
  expect(getServerNow()).toBe(now + hourMs + meanTruncationMs);
});
