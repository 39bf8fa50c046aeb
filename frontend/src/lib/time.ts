const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Whether a number of milliseconds is a moment that can be written down: `Intl` and `toISOString` throw for others. */
const isMoment = (at: number): boolean => !Number.isNaN(new Date(at).getTime());

/** Formats a moment; empty for one that is none, so that a bad time costs the time and not the page. */
export const formatted = (format: Intl.DateTimeFormat, at: number): string =>
  isMoment(at) ? format.format(at) : '';

/** ISO 8601 for `<time>`. */
export const isoTime = (at: number): string | undefined =>
  isMoment(at) ? new Date(at).toISOString() : undefined;

/** The clock time of a moment, in the person's locale and zone. */
export const clockTime = (at: number): string => formatted(clock, at);

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

/** Day and time in full, in the person's locale and zone. */
export const exactTime = (at: number): string => formatted(exact, at);

/** A duration as minutes and seconds: 0:07, 12:40. */
export const minutesAndSeconds = (durationMs: number): string => {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
