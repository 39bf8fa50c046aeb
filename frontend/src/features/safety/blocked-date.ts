import { formatTime } from '@/lib/time';

const withoutYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const withYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** Formats the day of a block in the user's locale and time zone; with the year unless it is the present one. */
export const formatBlockedDate = (at: number, now: number): string =>
  formatTime(new Date(at).getFullYear() === new Date(now).getFullYear() ? withoutYear : withYear, at);
