import { needsTimeStamp, createTimeStampFormat } from '@/features/private-chat/time-stamp';

const now = Date.parse('2026-03-05T12:00:00.000Z');
const minute = 60_000;
const hour = 60 * minute;

describe('messages with a time stamp (specification §9)', () => {
  it.each([
    ['the first', undefined, true],
    ['after five minutes', now - 5 * minute, false],
    ['after more than five minutes', now - 5 * minute - 1, true],
    ['at once', now, false],
  ])('depend on the gap to the previous message: %s', (_when, before, stamped) => {
    expect(needsTimeStamp(now, before)).toBe(stamped);
  });
});

describe('the text of a time stamp', () => {
  const stamp = createTimeStampFormat('en-US', 'Europe/Warsaw');

  it.each([
    ['a minute ago', now - minute, '12:59 PM'],
    ['within 24 hours', now - 24 * hour + 1, '01:00 PM'],
    ['24 hours ago', now - 24 * hour, 'Mar 4'],
    ['long ago', now - 64 * 24 * hour, 'Dec 31'],
    ['by a clock that is ahead', now + minute, '01:01 PM'],
  ])('depends on the age of the message: %s', (_when, at, words) => {
    expect(stamp(at, now)).toBe(words);
  });

  it('uses the given locale and time zone', () => {
    expect(createTimeStampFormat('de-DE', 'UTC')(now, now)).toBe('12:00');
  });
});
