import fc from 'fast-check';
import type { Gender, Preference } from '@thaw/contract/scalars';

export const REPLICAS = 3;
const MAX_USERS = 8;

/** The users' genders, and the pairs in which one user has blocked the other. */
export interface Crowd {
  genders: Gender[];
  blocks: [number, number][];
}

/** An operation on the queue. */
export interface Step {
  what:
    | 'join'
    | 'arrive'
    | 'depart'
    | 'leave'
    | 'confirm'
    | 'release'
    | 'skip'
    | 'retry'
    | 'block'
    | 'unblock'
    | 'kill';
  who: number;
  replica: number;
  preference: Preference;
  which: number;
}

export const anyCrowd: fc.Arbitrary<Crowd> = fc.record({
  genders: fc.array(fc.constantFrom<Gender>('male', 'female'), { minLength: 2, maxLength: MAX_USERS }),
  blocks: fc.array(fc.tuple(fc.nat(MAX_USERS - 1), fc.nat(MAX_USERS - 1)), { maxLength: 3 }),
});

export const anySteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    what: fc.oneof(
      { weight: 8, arbitrary: fc.constant('join' as const) },
      { weight: 4, arbitrary: fc.constantFrom('arrive' as const, 'confirm' as const, 'skip' as const) },
      {
        weight: 3,
        arbitrary: fc.constantFrom<Step['what']>('depart', 'leave', 'release', 'retry', 'kill'),
      },
      { weight: 2, arbitrary: fc.constantFrom('block' as const, 'unblock' as const) },
    ),
    who: fc.nat(MAX_USERS - 1),
    replica: fc.nat(REPLICAS - 1),
    preference: fc.constantFrom<Preference>('both', 'male', 'female'),
    which: fc.nat(9),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);
