import type { Violation } from './evidence-checker';

// A recovery is the moment at which all faults of a round are over. Then the service must work again for fresh clients
// (visitors who join for the first time), and for the users, whose pages reconnect.

/** Limit of the 99th percentile of the times in which fresh clients exchange messages. */
const MAX_FRESH_P99_MS = 10_000;
/** Limit of the duration of one attempt to reconnect. */
const MAX_ATTEMPT_MS = 2_000;

/** Times of one attempt to reconnect, as `Date.now()`. */
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
  /** For each recovery, the ms until its fresh clients had exchanged messages; undefined if they did not. */
  fresh: (number | undefined)[];
  /** The result of `measureReconnects` for all users. */
  reconnects: (number | undefined)[];
}

/**
 * Measures a user's first attempt to reconnect after each recovery. Skips an attempt if the next fault began before it
 * ended.
 * @param recoveryTimes as `Date.now()`
 * @param attempts those of the user, in order of time
 * @param hadFaultBetween returns whether a fault was active at some time between two times, both included
 * @returns durations in ms; undefined for an attempt that failed
 */
export const measureReconnects = (
  recoveryTimes: readonly number[],
  attempts: readonly AttemptTimes[],
  hadFaultBetween: (from: number, to: number) => boolean,
): (number | undefined)[] =>
  recoveryTimes.flatMap((recoveredAt) => {
    const firstAttempt = attempts.find(({ startedAt }) => startedAt >= recoveredAt);
    if (!firstAttempt) return [];
    const { startedAt, authenticatedAt, failedAt } = firstAttempt;
    // An attempt without an outcome is assumed to have lasted as long as allowed.
    const finishedAt = authenticatedAt ?? failedAt ?? startedAt + MAX_ATTEMPT_MS;
    // One millisecond later, because the last fault of the round may have ended exactly at `recoveredAt`.
    if (hadFaultBetween(recoveredAt + 1, finishedAt)) return [];
    const durationMs = authenticatedAt === undefined ? undefined : authenticatedAt - startedAt;
    return [durationMs];
  });

/** @param slowdown factor by which limits are extended, because other programs use the processors, too */
export const findRecoveryViolations = (
  { fresh, reconnects }: RecoveryFigures,
  slowdown: number,
): Violation[] =>
  [
    ...describeFreshClientProblems(fresh, MAX_FRESH_P99_MS * slowdown),
    ...describeReconnectProblems(reconnects, MAX_ATTEMPT_MS * slowdown),
  ].map((description) => ({ rule: 'recovery', description }));

const describeFreshClientProblems = (fresh: RecoveryFigures['fresh'], maxP99Ms: number): string[] => {
  const problems: string[] = [];
  const durationsMs = fresh.filter((ms) => ms !== undefined);
  const failureCount = fresh.length - durationsMs.length;
  if (failureCount > 0)
    problems.push(`${failureCount} times fresh clients could not exchange messages after a recovery`);
  const p99Ms = percentile(durationsMs, 0.99);
  if (p99Ms > maxP99Ms)
    problems.push(`fresh clients exchanged messages ${Math.round(p99Ms)} ms after a recovery (p99)`);
  return problems;
};

const describeReconnectProblems = (
  reconnects: RecoveryFigures['reconnects'],
  maxAttemptMs: number,
): string[] => {
  const badCount = reconnects.filter((ms) => ms === undefined || ms > maxAttemptMs).length;
  if (badCount === 0) return [];
  return [
    `${badCount} of ${reconnects.length} attempts to reconnect after a recovery failed or took longer than ` +
      `${Math.round(maxAttemptMs)} ms`,
  ];
};
