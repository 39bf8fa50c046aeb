import { needsTimeStamp, createTimeStampFormat } from '@/features/private-chat/time-stamp';

const now = Date.parse('2026-03-05T12:00:00.000Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe('a time stamp', () => {
  it.each([
    { message: 'the first message', previousSentAt: undefined },
    {
      message: 'a message more than five minutes after the previous one',
      previousSentAt: now - 5 * minuteMs - 1,
    },
  ])('is needed for $message', ({ previousSentAt }) => {
    expect(needsTimeStamp(now, previousSentAt)).toBe(true);
  });

  it.each([
    { message: 'a message five minutes after the previous one', previousSentAt: now - 5 * minuteMs },
    { message: 'a message at the time of the previous one', previousSentAt: now },
  ])('is not needed for $message', ({ previousSentAt }) => {
    expect(needsTimeStamp(now, previousSentAt)).toBe(false);
  });
});

describe('the text of a time stamp', () => {
  const format = createTimeStampFormat('en-US', 'Europe/Warsaw');

  it.each([
    // `now` is 1 PM in Warsaw.
    { message: 'sent a minute ago', sentAt: now - minuteMs, text: '12:59 PM' },
    { message: 'sent just under 24 hours ago', sentAt: now - 24 * hourMs + 1, text: '01:00 PM' },
    { message: 'sent 24 hours ago', sentAt: now - 24 * hourMs, text: 'Mar 4' },
    { message: 'sent in the previous year', sentAt: now - 64 * 24 * hourMs, text: 'Dec 31' },
    { message: 'stored by a clock that is a minute ahead', sentAt: now + minuteMs, text: '01:01 PM' },
  ])('is $text for a message $message', ({ sentAt, text }) => {
    expect(format(sentAt, now)).toBe(text);
  });

  it('uses the given locale and time zone', () => {
    expect(createTimeStampFormat('de-DE', 'UTC')(now, now)).toBe('12:00');
  });
});
