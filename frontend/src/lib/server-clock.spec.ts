import { noteServerDate, getServerNow } from '@/lib/server-clock';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const formatDateHeader = (at: number): string => new Date(at).toUTCString();

beforeEach(() => jest.useFakeTimers({ now }));
afterEach(() => {
  noteServerDate(formatDateHeader(Date.now()), Date.now(), Date.now());
  jest.useRealTimers();
});

it.each([5, -5])(
  "getServerNow returns the server's time when the local clock is %s minutes off",
  (minutes) => {
    const serverMs = now - minutes * 60_000;
    noteServerDate(formatDateHeader(serverMs), now - 100, now);
    expect(Math.abs(getServerNow() - serverMs)).toBeLessThan(1_000);
  },
);

it('getServerNow returns the local time when the difference is within the precision of the Date header', () => {
  noteServerDate(formatDateHeader(now - 2_000), now - 50, now);
  expect(getServerNow()).toBe(now);
  // A slow response is less precise.
  noteServerDate(formatDateHeader(now - 6_000), now - 10_000, now);
  expect(getServerNow()).toBe(now);
});

it('noteServerDate ignores a missing or invalid Date header', () => {
  noteServerDate(formatDateHeader(now + 3_600_000), now, now);
  noteServerDate(null, now, now);
  noteServerDate('nonsense', now, now);
  expect(getServerNow()).toBe(now + 3_600_000 + 500);
});
