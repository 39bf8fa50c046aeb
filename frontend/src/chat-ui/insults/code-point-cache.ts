/** The first two planes of Unicode, which contain all alphabets in use, mathematical letters, and emojis. */
const CACHED_CODE_POINTS = 0x20000;

/**
 * Caches the results of a function for the code points below `CACHED_CODE_POINTS`.
 * @param compute  returns a number from 0 to 0xfffe: the cache stores it plus 1, in 16 bits
 */
export const withCache = (compute: (codePoint: number) => number): ((codePoint: number) => number) => {
  /** The results plus 1; 0 where there is no result yet. */
  const cache = new Uint16Array(CACHED_CODE_POINTS);
  return (codePoint) => {
    const cached = cache[codePoint];
    if (cached) return cached - 1;
    const result = compute(codePoint);
    // An assignment beyond the end of the array has no effect.
    cache[codePoint] = result + 1;
    return result;
  };
};
