import { pageLimits } from '@/lib/page-limits';
import { formatTime } from '@/lib/time';

const dayMs = 24 * 60 * 60_000;

/**
 * Creates a function that formats the time stamp of a message: the clock time if the message is less than 24 hours old,
 * otherwise month and day. Its arguments are the time of the message and the current time, in ms since the epoch.
 * @param locale  if absent, the browser's
 * @param timeZone  if absent, the browser's
 */
export const createTimeStampFormat = (
  locale?: string,
  timeZone?: string,
): ((sentAt: number, now: number) => string) => {
  const clockTime = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' });
  const monthAndDay = new Intl.DateTimeFormat(locale, { timeZone, month: 'short', day: 'numeric' });
  return (sentAt, now) => formatTime(now - sentAt < dayMs ? clockTime : monthAndDay, sentAt);
};

/** Formats the time stamp of a message in the browser's locale and time zone. */
export const formatTimeStamp = createTimeStampFormat();

/**
 * Whether a message has a time stamp: the first one, and each after a gap of more than five minutes.
 * @param previousSentAt  time of the message before; undefined for the first message
 */
export const needsTimeStamp = (sentAt: number, previousSentAt: number | undefined): boolean =>
  previousSentAt === undefined || sentAt - previousSentAt > pageLimits.messageGroupGapMs;
