import { formatTime } from '@/lib/time';

const thisYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const otherYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** Day of a block, in the user's locale and time zone; with the year if it is not the present one. */
export const blockedDate = (at: number, now: number): string =>
  formatTime(new Date(at).getFullYear() === new Date(now).getFullYear() ? thisYear : otherYear, at);
