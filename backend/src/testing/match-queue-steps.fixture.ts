import fc from 'fast-check';
import type { Gender, Preference } from '@thaw/contract/scalars';

export const REPLICA_COUNT = 3;
const MAX_USERS = 8;

/** The users of a run. */
export interface Crowd {
  /** `isFlagged`: flagged by moderation, hence matched only with other flagged users. */
  users: { gender: Gender; isFlagged: boolean }[];
  /** Pairs of user indexes: one of the two users has blocked the other. Indexes without a user have no effect. */
  blocks: [number, number][];
}

/** An operation on the queue, and what it applies to. */
export interface Step {
  operation:
    | 'join'
    | 'resume' // a socket of the user opens on the replica
    | 'depart' // the user's last socket on the replica closes
    | 'leave'
    | 'confirm' // the chat of a claimed match has been created
    | 'release' // the claim of a match has expired
    | 'finish' // a chat has ended
    | 'retry' // matching is tried again for a searching user
    | 'block'
    | 'unblock'
    | 'flag'
    | 'unflag'
    | 'suspend'
    | 'restart'; // the replica dies and starts again with a new id
  /** Index of the user, modulo the number of users. */
  userIndex: number;
  replicaIndex: number;
  /** Used by `join`. */
  preference: Preference;
  /**
   * For `confirm` and `release`: a match, counted back from the newest (0), modulo the number of matches.
   * For `block` and `unblock`: the other user, by index among all other users, modulo their number.
   */
  targetIndex: number;
}

type Operation = Step['operation'];

const anyUser = fc.record({ gender: fc.constantFrom<Gender>('male', 'female'), isFlagged: fc.boolean() });

export const anyCrowd: fc.Arbitrary<Crowd> = fc.record({
  users: fc.oneof(
    fc.array(anyUser, { minLength: 2, maxLength: 3 }), // so few that the same users meet again and again
    fc.array(anyUser, { minLength: 2, maxLength: MAX_USERS, size: 'max' }),
  ),
  blocks: fc.array(fc.tuple(fc.nat(MAX_USERS - 1), fc.nat(MAX_USERS - 1)), { maxLength: 3 }),
});

/** Most operations have an effect only on users who have joined, so `join` is the most frequent one. */
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Operation>('join') },
  { weight: 5, arbitrary: fc.constantFrom<Operation>('resume', 'confirm', 'finish') },
  { weight: 3, arbitrary: fc.constantFrom<Operation>('depart', 'leave', 'release', 'retry', 'restart') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Operation>(
      'block',
      'unblock',
      'flag',
      'unflag', // twice: it reverts both `flag` and `suspend`
      'unflag',
      'suspend',
    ),
  },
);

const anyStep: fc.Arbitrary<Step> = fc.record({
  operation: anyOperation,
  userIndex: fc.nat(MAX_USERS - 1),
  replicaIndex: fc.nat(REPLICA_COUNT - 1),
  preference: fc.constantFrom<Preference>('both', 'both', 'male', 'female'), // `both` twice, for more matches
  targetIndex: fc.oneof(fc.constant(0), fc.nat(9)), // often the newest match, which is the likeliest to be claimed
});

export const anySteps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(anyStep, { minLength: 10, maxLength, size: 'max' });
