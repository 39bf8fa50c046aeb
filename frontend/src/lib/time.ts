const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** The clock time of a moment, in the person's locale and zone. */
export const clockTime = (at: number): string => clock.format(at);

/** A duration as minutes and seconds: 0:07, 12:40. */
export const minutesAndSeconds = (durationMs: number): string => {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
