import { pageLimits } from '@/lib/page-limits';
import { formatTime } from '@/lib/time';

const dayMs = 24 * 60 * 60_000;

/** Formats a time stamp: the clock time within 24 hours, otherwise month and day (A116). */
export const createTimeStampFormat = (
  locale?: string,
  timeZone?: string,
): ((at: number, now: number) => string) => {
  const clock = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' });
  const monthAndDay = new Intl.DateTimeFormat(locale, { timeZone, month: 'short', day: 'numeric' });
  return (at, now) => formatTime(now - at < dayMs ? clock : monthAndDay, at);
};

/** In the browser's locale and time zone. */
export const formatTimeStamp = createTimeStampFormat();

/** Whether a message has a time stamp: the first one, and each after a gap of more than five minutes. */
export const needsTimeStamp = (at: number, before: number | undefined): boolean =>
  before === undefined || at - before > pageLimits.messageGroupGapMs;
