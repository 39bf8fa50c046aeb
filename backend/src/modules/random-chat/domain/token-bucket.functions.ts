/** Token bucket: at most `burst` tokens, refilled by one every `intervalMs`. */
export interface Rate {
  intervalMs: number;
  burst: number;
}

/** Tokens left at `at` (epoch ms, by the clock of Redis). */
export interface Bucket {
  tokens: number;
  at: number;
}

/** Tokens are fractions: a rounding error below 1 still counts as a whole token. */
const ROUNDING_TOLERANCE = 1e-9;

const countTokensAt = (bucket: Bucket | undefined, at: number, { intervalMs, burst }: Rate): number =>
  bucket ? Math.min(burst, bucket.tokens + Math.max(0, at - bucket.at) / intervalMs) : burst;

/** The bucket after one more token is taken. Does not check the limit: the event has already happened. */
export const takeToken = (bucket: Bucket | undefined, at: number, rate: Rate): Bucket => ({
  // An event may have been accepted under a less strict limits profile, so the debt is capped at one token.
  tokens: Math.max(-1, countTokensAt(bucket, at, rate) - 1),
  at,
});

/** Milliseconds until a token is available; 0 when one is available now. */
export const computeMsUntilToken = (bucket: Bucket | undefined, at: number, rate: Rate): number => {
  const tokens = countTokensAt(bucket, at, rate);
  return tokens >= 1 - ROUNDING_TOLERANCE ? 0 : Math.ceil((1 - tokens) * rate.intervalMs);
};
