import type { ConductPolicy } from '../modules/conduct/domain/conduct-policy.types';

export const HOUR_MS = 60 * 60_000;
export const DAY_MS = 24 * HOUR_MS;

/** The default settings. */
export const conductPolicy: ConductPolicy = {
  careWindowMs: DAY_MS,
  flagReporters: 3,
  suspendReporters: 5,
  reviewMs: 3 * DAY_MS,
  soloReviewAfterMs: DAY_MS,
  appealWithinMs: 183 * DAY_MS,
};
