import type { Violation } from './evidence-checker';

// A recovery is the time at which all faults of a round are over, as `Date.now()`.

/** Limit of the 99th percentile of the times until fresh clients exchange messages after a recovery. */
export const MAX_FRESH_P99_MS = 10_000;
/** Limit of the duration of one attempt to reconnect. */
export const MAX_ATTEMPT_MS = 2_000;

/** Times of one attempt to reconnect. */
export interface AttemptTimes {
  startedAt: number;
  authenticatedAt?: number;
  failedAt?: number;
}

/**
 * Computes the nearest-rank percentile.
 * @param share from 0 to 1
 * @returns NaN when there are no values
 */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((first, second) => first - second);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
};

export interface RecoveryFigures {
  /** For each recovery, the ms until fresh clients had exchanged messages; undefined if they did not in time. */
  fresh: (number | undefined)[];
  /** For each user and recovery, the duration in ms of the first attempt to reconnect; undefined if it failed. */
  reconnects: (number | undefined)[];
}

/**
 * Measures a user's first attempt to reconnect after each recovery. Skips an attempt if a fault was active between the
 * recovery and the end of the attempt.
 * @param attempts those of the user, in order of time
 * @param hadFaultBetween returns whether a fault was active at some time between two times, both included
 * @returns durations in ms; undefined for an attempt that failed
 */
export const measureReconnects = (
  recoveries: readonly number[],
  attempts: readonly AttemptTimes[],
  hadFaultBetween: (from: number, to: number) => boolean,
): (number | undefined)[] =>
  recoveries.flatMap((recoveredAt) => {
    const firstAttempt = attempts.find(({ startedAt }) => startedAt >= recoveredAt);
    if (!firstAttempt) return [];
    const { startedAt, authenticatedAt, failedAt } = firstAttempt;
    // An attempt without an outcome is assumed to have lasted as long as allowed.
    const finishedAt = authenticatedAt ?? failedAt ?? startedAt + MAX_ATTEMPT_MS;
    // One millisecond later, because the last fault of the round may have ended exactly at `recoveredAt`.
    if (hadFaultBetween(recoveredAt + 1, finishedAt)) return [];
    return [authenticatedAt === undefined ? undefined : authenticatedAt - startedAt];
  });

/** @param slowdown factor by which limits are extended, because other programs use the processors, too */
export const findRecoveryViolations = (
  { fresh, reconnects }: RecoveryFigures,
  slowdown: number,
): Violation[] => {
  const descriptions: string[] = [];
  const failureCount = fresh.filter((ms) => ms === undefined).length;
  if (failureCount > 0)
    descriptions.push(`${failureCount} times fresh clients could not exchange messages after a recovery`);
  const freshP99Ms = percentile(
    fresh.filter((ms) => ms !== undefined),
    0.99,
  );
  if (freshP99Ms > MAX_FRESH_P99_MS * slowdown)
    descriptions.push(`fresh clients exchanged messages ${Math.round(freshP99Ms)} ms after a recovery (p99)`);
  const maxAttemptMs = MAX_ATTEMPT_MS * slowdown;
  const slowCount = reconnects.filter((ms) => ms === undefined || ms > maxAttemptMs).length;
  if (slowCount > 0)
    descriptions.push(
      `${slowCount} of ${reconnects.length} attempts to reconnect after a recovery failed or took longer than ` +
        `${Math.round(maxAttemptMs)} ms`,
    );
  return descriptions.map((description) => ({ rule: 'recovery', description }));
};
