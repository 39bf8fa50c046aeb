const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Whether `Intl` and `toISOString` can format a time in ms; they throw for others. */
const isMoment = (at: number): boolean => !Number.isNaN(new Date(at).getTime());

/** Formats a time in ms since the epoch. An invalid time gives an empty string, so that it does not break the page. */
export const formatted = (format: Intl.DateTimeFormat, at: number): string =>
  isMoment(at) ? format.format(at) : '';

/** The time in ISO 8601, for `<time>`; undefined when invalid. */
export const isoTime = (at: number): string | undefined =>
  isMoment(at) ? new Date(at).toISOString() : undefined;

/** Time of day, in the user's locale and time zone. */
export const clockTime = (at: number): string => formatted(clock, at);

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

/** Full date and time, in the user's locale and time zone. */
export const exactTime = (at: number): string => formatted(exact, at);

/** Formats a duration as minutes and seconds: 0:07, 12:40. */
export const minutesAndSeconds = (durationMs: number): string => {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
