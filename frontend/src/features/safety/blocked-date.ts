import { formatTime } from '@/lib/time';

const withoutYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const withYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/**
 * Formats the day of a block in the user's locale and time zone; with the year unless it is the current one.
 * @param blockedAt  in ms since the epoch
 * @param now  in ms since the epoch
 */
export const formatBlockedDate = (blockedAt: number, now: number): string => {
  const isThisYear = new Date(blockedAt).getFullYear() === new Date(now).getFullYear();
  return formatTime(isThisYear ? withoutYear : withYear, blockedAt);
};
