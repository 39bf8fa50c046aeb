import type { Violation } from './checker';

/** Limit for a fresh client to exchange messages after a recovery, at the 99th percentile. */
export const FRESH_P99_MS = 10_000;
/** Limit for one reconnect attempt. */
export const ATTEMPT_MS = 2_000;

export interface AttemptTimes {
  startedAt: number;
  arrivedAt?: number;
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
  returns: (number | undefined)[];
}

/**
 * The duration of a user's first attempt after each recovery. Attempts that overlap a fault are skipped.
 * @param healedAt when each round of faults was over.
 * @param isFaulty whether a fault was active at some time between two times.
 */
export const returnsAfter = (
  healedAt: readonly number[],
  attempts: readonly AttemptTimes[],
  isFaulty: (from: number, to: number) => boolean,
): (number | undefined)[] =>
  healedAt.flatMap((healed) => {
    const first = attempts.find(({ startedAt }) => startedAt >= healed);
    if (!first) return [];
    const over = first.arrivedAt ?? first.failedAt ?? first.startedAt + ATTEMPT_MS;
    if (isFaulty(healed + 1, over)) return [];
    return [first.arrivedAt === undefined ? undefined : first.arrivedAt - first.startedAt];
  });

/** @param busyness factor by which limits are extended, because other programs use the processors too. */
export const slowness = ({ fresh, returns }: RecoveryFigures, busyness: number): Violation[] => {
  const found: string[] = [];
  const never = fresh.filter((took) => took === undefined).length;
  if (never > 0) found.push(`${never} times fresh clients could not exchange messages after healing`);
  const p99 = percentile(
    fresh.filter((took) => took !== undefined),
    0.99,
  );
  if (p99 > FRESH_P99_MS * busyness)
    found.push(`a fresh client took ${Math.round(p99)} ms from healing (p99)`);
  const late = returns.filter((took) => took === undefined || took > ATTEMPT_MS * busyness);
  if (late.length > 0)
    found.push(
      `${late.length} of ${returns.length} attempts after healing were not back within ${ATTEMPT_MS} ms`,
    );
  return found.map((what) => ({ rule: 'recovery', what }));
};
