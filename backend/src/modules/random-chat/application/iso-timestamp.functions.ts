let second = NaN;
let upToSecond = '';

/**
 * Formats a time as `Date.toISOString` does. Formatting dates dominates the cost of building a message frame, so the
 * prefix up to the second is cached and only the milliseconds are appended.
 * @param ms epoch ms, not negative.
 */
export const isoTimestamp = (ms: number): string => {
  const inSecond = ms % 1_000;
  if (ms - inSecond !== second) {
    second = ms - inSecond;
    upToSecond = new Date(second).toISOString().slice(0, -'000Z'.length);
  }
  return `${upToSecond}${String(inSecond).padStart(3, '0')}Z`;
};
