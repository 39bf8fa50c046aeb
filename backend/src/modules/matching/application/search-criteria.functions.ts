import { type Gender, genderSchema, type Preference, preferenceSchema } from '@thaw/contract/scalars';
import type { PoolName } from '../infrastructure/match-queue.scripts';

/** `care`: users with a flag, who are matched with each other only. */
export type Pool = 'common' | 'care';

/** Who a searching user is and whom they may meet. */
export interface SearchCriteria {
  gender: Gender;
  preference: Preference;
  pool: Pool;
}

/** The pool's name in Redis. */
export const nameOf = (pool: Pool): PoolName => (pool === 'care' ? 'care' : '');
export const poolOf = (name: string | null | undefined): Pool => (name === 'care' ? 'care' : 'common');

/** The criteria of each queue: one queue per pool, gender and preference. */
export const queueCriteria: readonly SearchCriteria[] = (['common', 'care'] as const).flatMap((pool) =>
  genderSchema.options.flatMap((gender) =>
    preferenceSchema.options.map((preference) => ({ gender, preference, pool })),
  ),
);

/** Number of searching users in each queue. */
export type WaitingCounts = readonly (SearchCriteria & { count: number })[];

/** Whether two searching users are in the same pool and compatible both ways. */
const areCompatible = (one: SearchCriteria, other: SearchCriteria): boolean =>
  one.pool === other.pool &&
  (one.preference === 'both' || one.preference === other.gender) &&
  (other.preference === 'both' || other.preference === one.gender);

/** Whether another searching user is compatible, ignoring cool-downs. The user's own entry does not count. */
export const hasCandidate = (criteria: SearchCriteria, waiting: WaitingCounts): boolean =>
  waiting.some((queue) => {
    const isOwn =
      queue.pool === criteria.pool &&
      queue.gender === criteria.gender &&
      queue.preference === criteria.preference;
    return areCompatible(criteria, queue) && queue.count > (isOwn ? 1 : 0);
  });
