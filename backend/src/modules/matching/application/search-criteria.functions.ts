import { isExcluded, type Standing } from '@thaw/contract/safety';
import { type Gender, genderSchema, type Preference, preferenceSchema } from '@thaw/contract/scalars';
import type { PoolName } from '../infrastructure/match-queue.scripts';

/**
 * Users are matched within their pool only. A flagged user is in the pool `care` until moderators have reviewed the
 * user's case (docs/decisions/0055-flagged-users-have-queues-of-their-own.md).
 */
export type Pool = 'common' | 'care';

/** Who a searching user is and whom they may meet. */
export interface SearchCriteria {
  gender: Gender;
  preference: Preference;
  pool: Pool;
}

/** The pool's name in Redis: empty for the common pool, whose keys do not name a pool. */
export const getPoolName = (pool: Pool): PoolName => (pool === 'care' ? 'care' : '');
export const parsePoolName = (name: string | null | undefined): Pool => (name === 'care' ? 'care' : 'common');

/** The pool in which a user with this standing searches. A standing is what moderation currently allows a user. */
export const choosePool = ({ kind }: Standing): Pool => (kind === 'care' ? 'care' : 'common');

/** Whether a user may search. A user who has to answer the age question may use everything but the search. */
export const maySearch = (standing: Standing): boolean =>
  !isExcluded(standing) && standing.kind !== 'age_question';

/** Whether a chat of two users may start by their standings: both may search, in the same pool. */
export const mayMeet = (one: Standing, other: Standing): boolean =>
  maySearch(one) && maySearch(other) && choosePool(one) === choosePool(other);

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

/** Whether another user who is searching is compatible, without regard to cool-downs and blocks. */
export const hasCandidate = (criteria: SearchCriteria, waiting: WaitingCounts): boolean =>
  waiting.some((queue) => {
    // The user is one of those who are waiting in the user's own queue.
    const isOwnQueue =
      queue.pool === criteria.pool &&
      queue.gender === criteria.gender &&
      queue.preference === criteria.preference;
    return areCompatible(criteria, queue) && queue.count > (isOwnQueue ? 1 : 0);
  });
