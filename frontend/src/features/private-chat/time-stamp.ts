import { pageLimits } from '@/lib/page-limits';
import { formatted } from '@/lib/time';

const dayMs = 24 * 60 * 60_000;

/** The words of a time stamp: within 24 hours the clock time, older month and day (A116). */
export const timeStampIn = (locale?: string, timeZone?: string): ((at: number, now: number) => string) => {
  const clock = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' });
  const monthAndDay = new Intl.DateTimeFormat(locale, { timeZone, month: 'short', day: 'numeric' });
  return (at, now) => formatted(now - at < dayMs ? clock : monthAndDay, at);
};

/** In the person's own locale and zone. */
export const timeStamp = timeStampIn();

/** Whether a message is stamped: the first one, and each after a gap of over five minutes. */
export const isStamped = (at: number, before: number | undefined): boolean =>
  before === undefined || at - before > pageLimits.messageGroupGapMs;
