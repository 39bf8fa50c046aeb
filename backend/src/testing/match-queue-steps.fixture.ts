import fc from 'fast-check';
import type { Gender, Preference } from '@thaw/contract/scalars';

export const REPLICAS = 3;
const MAX_USERS = 8;

/** The users' genders, and the pairs of user indexes in which one user has blocked the other. */
export interface Crowd {
  genders: Gender[];
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
    | 'restart';
  userIndex: number;
  replicaIndex: number;
  preference: Preference;
  /** Which of the matches made so far is confirmed or released, or which other user is blocked or unblocked; modulo their number. */
  matchIndex: number;
}

export const anyCrowd: fc.Arbitrary<Crowd> = fc.record({
  genders: fc.array(fc.constantFrom<Gender>('male', 'female'), { minLength: 2, maxLength: MAX_USERS }),
  blocks: fc.array(fc.tuple(fc.nat(MAX_USERS - 1), fc.nat(MAX_USERS - 1)), { maxLength: 3 }),
});

export const anySteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    operation: fc.oneof(
      { weight: 8, arbitrary: fc.constant('join' as const) },
      { weight: 4, arbitrary: fc.constantFrom('resume' as const, 'confirm' as const, 'finish' as const) },
      {
        weight: 3,
        arbitrary: fc.constantFrom<Step['operation']>('depart', 'leave', 'release', 'retry', 'restart'),
      },
      { weight: 2, arbitrary: fc.constantFrom('block' as const, 'unblock' as const) },
    ),
    userIndex: fc.nat(MAX_USERS - 1),
    replicaIndex: fc.nat(REPLICAS - 1),
    preference: fc.constantFrom<Preference>('both', 'male', 'female'),
    matchIndex: fc.nat(9),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);
