import { useEffect, useState } from 'react';

/** The initial state; different from every activity. */
const notSilentYet = Symbol('not silent yet');

/**
 * Whether `activity` has not changed for `afterMs`.
 * @param activity  compared with `===`; must not return to an earlier value
 * @param afterMs  in ms; if null, nothing is measured and the result is false
 */
export const useSilence = (activity: unknown, afterMs: number | null): boolean => {
  /** The activity that has not changed for `afterMs`. */
  const [silentActivity, setSilentActivity] = useState<unknown>(notSilentYet);
  useEffect(() => {
    if (afterMs === null) return;
    const timer = setTimeout(() => setSilentActivity(activity), afterMs);
    return () => clearTimeout(timer);
  }, [activity, afterMs]);
  return afterMs !== null && silentActivity === activity;
};
