/** Token bucket: at most `burst` tokens; one token is added every `intervalMs`. */
export interface Rate {
  intervalMs: number;
  burst: number;
}

export interface Bucket {
  /** Tokens left at `updatedAtMs`: at least -1, and not always a whole number. */
  tokens: number;
  /** Epoch ms, by the clock of Redis, as every time in this file. */
  updatedAtMs: number;
}

/** A number of tokens that is less than 1 only because of rounding errors counts as a whole token. */
const ROUNDING_TOLERANCE = 1e-9;

/** @param bucket undefined for a bucket from which no token was taken yet; it is full. */
const countTokens = (bucket: Bucket | undefined, nowMs: number, { intervalMs, burst }: Rate): number => {
  if (!bucket) return burst;
  // A replica estimates the time of Redis, so `nowMs` may be earlier than the last update.
  const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs);
  return Math.min(burst, bucket.tokens + elapsedMs / intervalMs);
};

/** @returns the bucket after one more token is taken. Does not check the limit: the event has already happened. */
export const takeToken = (bucket: Bucket | undefined, nowMs: number, rate: Rate): Bucket => ({
  // Events from before a reduction of the rate may exceed the new rate by many tokens. The minimum of -1 limits the
  // wait for the next token to two intervals.
  tokens: Math.max(-1, countTokens(bucket, nowMs, rate) - 1),
  updatedAtMs: nowMs,
});

/** @returns milliseconds until a token is available; 0 when one is available now. */
export const computeMsUntilToken = (bucket: Bucket | undefined, nowMs: number, rate: Rate): number => {
  const tokens = countTokens(bucket, nowMs, rate);
  return tokens >= 1 - ROUNDING_TOLERANCE ? 0 : Math.ceil((1 - tokens) * rate.intervalMs);
};
