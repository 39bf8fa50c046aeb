/** @throws Error when there are no values */
export const median = (values: readonly number[]): number => {
  if (values.length === 0) throw new Error('No values');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
};

/**
 * @param share 0.99 for the 99th percentile
 * @returns 0 when there are no values
 */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

/** The values of all rounds of a run, summarized. */
export interface Spread {
  median: number;
  minimum: number;
  maximum: number;
}

export const computeSpread = (values: readonly number[]): Spread => ({
  median: median(values),
  minimum: Math.min(...values),
  maximum: Math.max(...values),
});

/**
 * Summarizes the ratio of each value in `ours` to the value of the same round in `theirs`, with which it is compared. A
 * temporary slowdown of the machine affects both values of a round and cancels out.
 */
export const computeRatios = (ours: readonly number[], theirs: readonly number[]): Spread =>
  computeSpread(ours.map((value, round) => value / (theirs[round] ?? NaN)));
