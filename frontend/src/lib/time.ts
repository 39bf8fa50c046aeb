const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Whether a time in ms since the epoch can be formatted: `Intl` and `toISOString` throw for others. */
const isValidTime = (timeMs: number): boolean => !Number.isNaN(new Date(timeMs).getTime());

/** Formats a time in ms since the epoch. Returns '' for an invalid time, so that bad data does not break the page. */
export const formatTime = (format: Intl.DateTimeFormat, timeMs: number): string =>
  isValidTime(timeMs) ? format.format(timeMs) : '';

/** Formats a time in ISO 8601, for `<time>`; undefined when invalid. */
export const formatIsoTime = (timeMs: number): string | undefined =>
  isValidTime(timeMs) ? new Date(timeMs).toISOString() : undefined;

/** Formats the time of day, in the user's locale and time zone. */
export const formatClockTime = (timeMs: number): string => formatTime(clockFormat, timeMs);

const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

/** Formats the full date and time, in the user's locale and time zone. */
export const formatExactTime = (timeMs: number): string => formatTime(exactFormat, timeMs);

/** Formats a duration as minutes and seconds: 0:07, 12:40. */
export const formatMinutesAndSeconds = (durationMs: number): string => {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
