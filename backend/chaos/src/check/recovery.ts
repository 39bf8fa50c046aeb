import type { Violation } from './evidence-checker';

/** Limit for a fresh client to exchange messages after a recovery, at the 99th percentile. */
export const MAX_FRESH_P99_MS = 10_000;
/** Limit for one reconnect attempt. */
export const MAX_ATTEMPT_MS = 2_000;

export interface AttemptTimes {
  startedAt: number;
  authenticatedAt?: number;
  failedAt?: number;
}

/** Nearest-rank percentile; `share` is from 0 to 1. NaN when there are no values. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((first, second) => first - second);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
};

export interface RecoveryFigures {
  /** Times from the recovery until fresh clients exchanged messages; undefined for one that gave up. */
  fresh: (number | undefined)[];
  /** Durations of the users' first attempts after a recovery; undefined for one that failed. */
  reconnects: (number | undefined)[];
}

/**
 * The duration of a user's first attempt after each recovery. Attempts that overlap a fault are skipped.
 * @param recoveries times at which each round of faults was over.
 * @param isFaulty whether a fault was active at some time between two times.
 */
export const measureReconnects = (
  recoveries: readonly number[],
  attempts: readonly AttemptTimes[],
  isFaulty: (from: number, to: number) => boolean,
): (number | undefined)[] =>
  recoveries.flatMap((recoveredAt) => {
    const first = attempts.find(({ startedAt }) => startedAt >= recoveredAt);
    if (!first) return [];
    const finishedAt = first.authenticatedAt ?? first.failedAt ?? first.startedAt + MAX_ATTEMPT_MS;
    if (isFaulty(recoveredAt + 1, finishedAt)) return [];
    return [first.authenticatedAt === undefined ? undefined : first.authenticatedAt - first.startedAt];
  });

/** @param slowdown factor by which limits are extended because other programs use the processors too. */
export const findSlowRecoveries = ({ fresh, reconnects }: RecoveryFigures, slowdown: number): Violation[] => {
  const found: string[] = [];
  const failedProbes = fresh.filter((took) => took === undefined).length;
  if (failedProbes > 0)
    found.push(`${failedProbes} times fresh clients could not exchange messages after healing`);
  const p99 = percentile(
    fresh.filter((took) => took !== undefined),
    0.99,
  );
  if (p99 > MAX_FRESH_P99_MS * slowdown)
    found.push(`a fresh client took ${Math.round(p99)} ms from healing (p99)`);
  const slowReturns = reconnects.filter((took) => took === undefined || took > MAX_ATTEMPT_MS * slowdown);
  if (slowReturns.length > 0)
    found.push(
      `${slowReturns.length} of ${reconnects.length} attempts after healing were not back within ${MAX_ATTEMPT_MS} ms`,
    );
  return found.map((what) => ({ rule: 'recovery', what }));
};
