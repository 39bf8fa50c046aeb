import { useEffect, useState } from 'react';

const never = Symbol('no silence yet');

/**
 * Whether `activity` has not changed for a time.
 * @param activity  compared with `===`
 * @param afterMs  null: the time is not measured, and the result is false
 */
export const useSilence = (activity: unknown, afterMs: number | null): boolean => {
  const [quietSince, setQuietSince] = useState<unknown>(never);
  useEffect(() => {
    if (afterMs === null) return;
    const timer = setTimeout(() => setQuietSince(activity), afterMs);
    return () => clearTimeout(timer);
  }, [activity, afterMs]);
  return afterMs !== null && quietSince === activity;
};
