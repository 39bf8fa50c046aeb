import { copy } from '@/features/history/copy';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** Age in the largest whole unit (A64). */
export const formatAge = (at: number, now: number): string => {
  const ageMs = now - at;
  if (ageMs >= dayMs) return copy.age.days(Math.floor(ageMs / dayMs));
  if (ageMs >= hourMs) return copy.age.hours(Math.floor(ageMs / hourMs));
  return copy.age.minutes;
};
