let second = NaN;
let upToSecond = '';

/**
 * A time as `Date.toISOString` writes it. That is what costs most in a message's frame, and it differs from one
 * message to the next in its milliseconds: the rest is made once a second.
 * @param ms since the epoch, not negative.
 */
export const isoTimestamp = (ms: number): string => {
  const inSecond = ms % 1_000;
  if (ms - inSecond !== second) {
    second = ms - inSecond;
    upToSecond = new Date(second).toISOString().slice(0, -'000Z'.length);
  }
  return `${upToSecond}${String(inSecond).padStart(3, '0')}Z`;
};
