/** Start of the full second that is cached, in epoch ms; NaN before the first call. */
let cachedSecondMs = NaN;
/** The text of this second, such as `2026-01-31T12:34:56.`. */
let cachedPrefix = '';

/**
 * Formats a time as `Date.toISOString` does. `toISOString` would dominate the cost of building a message frame, so the
 * text up to the second is cached and only the milliseconds are appended.
 * @param ms epoch ms, an integer that is not negative.
 */
export const formatIsoTimestamp = (ms: number): string => {
  const msWithinSecond = ms % 1_000;
  if (ms - msWithinSecond !== cachedSecondMs) {
    cachedSecondMs = ms - msWithinSecond;
    cachedPrefix = new Date(cachedSecondMs).toISOString().slice(0, -'000Z'.length);
  }
  return `${cachedPrefix}${String(msWithinSecond).padStart(3, '0')}Z`;
};
