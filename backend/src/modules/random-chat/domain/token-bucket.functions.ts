/** Token bucket: at most `burst` tokens, one more every `intervalMs`. */
export interface Rate {
  intervalMs: number;
  burst: number;
}

/** What is left in a bucket, and when (epoch ms, by the stream's clock). */
export interface Bucket {
  tokens: number;
  at: number;
}

/** Tokens are fractions: what is a rounding error away from a whole one counts as one. */
const ROUNDING = 1e-9;

const tokensAt = (bucket: Bucket | undefined, at: number, { intervalMs, burst }: Rate): number =>
  bucket ? Math.min(burst, bucket.tokens + Math.max(0, at - bucket.at) / intervalMs) : burst;

/** The bucket once one more token was taken. It is not checked again: the event has happened. */
export const spend = (bucket: Bucket | undefined, at: number, rate: Rate): Bucket => ({
  // Accepted under another limits profile, it may have been more than this one allows: never more than one in debt.
  tokens: Math.max(-1, tokensAt(bucket, at, rate) - 1),
  at,
});

/** Milliseconds until a token is there; 0 when one is there now. */
export const waitForToken = (bucket: Bucket | undefined, at: number, rate: Rate): number => {
  const tokens = tokensAt(bucket, at, rate);
  return tokens >= 1 - ROUNDING ? 0 : Math.ceil((1 - tokens) * rate.intervalMs);
};
