import fc from 'fast-check';
import type { Gender, Preference } from '@thaw/contract/scalars';

export const REPLICAS = 3;
const MAX_USERS = 8;

export interface Crowd {
  users: { gender: Gender; isFlagged: boolean }[];
  /** The pairs of user indexes in which one user has blocked the other. */
  blocks: [number, number][];
}

/** An operation on the queue. */
export interface Step {
  /** The call of the queue, or `restart` for a replica that dies and starts under a new id. */
  operation:
    | 'join'
    | 'resume'
    | 'depart'
    | 'leave'
    | 'confirm'
    | 'release'
    | 'finish'
    | 'retry'
    | 'block'
    | 'unblock'
    | 'flag'
    | 'unflag'
    | 'suspend'
    | 'restart';
  userIndex: number;
  replicaIndex: number;
  preference: Preference;
  /**
   * Which of the matches made so far is confirmed or released, from the newest on, or which other user is blocked or
   * unblocked; modulo their number.
   */
  matchIndex: number;
}

const anyUser = fc.record({ gender: fc.constantFrom<Gender>('male', 'female'), isFlagged: fc.boolean() });

export const anyCrowd: fc.Arbitrary<Crowd> = fc.record({
  users: fc.oneof(
    fc.array(anyUser, { minLength: 2, maxLength: 3 }), // the same two meet often
    fc.array(anyUser, { minLength: 2, maxLength: MAX_USERS, size: 'max' }),
  ),
  blocks: fc.array(fc.tuple(fc.nat(MAX_USERS - 1), fc.nat(MAX_USERS - 1)), { maxLength: 3 }),
});

const anyStep: fc.Arbitrary<Step> = fc.record({
  operation: fc.oneof(
    { weight: 8, arbitrary: fc.constant('join' as const) },
    { weight: 5, arbitrary: fc.constantFrom('resume' as const, 'confirm' as const, 'finish' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom<Step['operation']>('depart', 'leave', 'release', 'retry', 'restart'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom<Step['operation']>(
        'block',
        'unblock',
        'flag',
        'unflag',
        'unflag',
        'suspend',
      ),
    },
  ),
  userIndex: fc.nat(MAX_USERS - 1),
  replicaIndex: fc.nat(REPLICAS - 1),
  preference: fc.constantFrom<Preference>('both', 'both', 'male', 'female'),
  matchIndex: fc.oneof(fc.constant(0), fc.nat(9)),
});

export const arbitrarySteps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(anyStep, { minLength: 10, maxLength, size: 'max' });
