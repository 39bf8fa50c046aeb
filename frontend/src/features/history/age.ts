import { copy } from '@/features/history/copy';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/**
 * Formats the time from `startMs` to `nowMs` in whole days or hours; less than an hour is "A few minutes ago"
 * (docs/product-decisions.md, A64).
 */
export const formatAge = (startMs: number, nowMs: number): string => {
  const ageMs = nowMs - startMs;
  if (ageMs >= dayMs) return copy.age.days(Math.floor(ageMs / dayMs));
  if (ageMs >= hourMs) return copy.age.hours(Math.floor(ageMs / hourMs));
  return copy.age.minutes;
};
