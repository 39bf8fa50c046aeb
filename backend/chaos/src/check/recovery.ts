import type { Violation } from './checker';

/** From healing to a fresh client that exchanges messages, the slowest of a hundred. */
export const FRESH_P99_MS = 10_000;
/** What an attempt to come back may take. */
export const ATTEMPT_MS = 2_000;

export interface AttemptTimes {
  startedAt: number;
  arrivedAt?: number;
  failedAt?: number;
}

/** The value that a share of the values does not exceed; nearest rank. NaN when there are none. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((first, second) => first - second);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
};

export interface RecoveryFigures {
  /** Fresh clients, from healing; undefined for one that gave up. */
  fresh: (number | undefined)[];
  /** First attempts of people after a healing: how long each took; undefined for one that failed. */
  returns: (number | undefined)[];
}

/**
 * The first attempt of each person after each healing, if the service was well throughout it.
 * @param healedAt when each round was over.
 * @param isFaulty whether a fault was going on at some time in between.
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

/** @param busyness how many times longer things may take because others use the processors too. */
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
