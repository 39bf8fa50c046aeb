import { goodStanding, type Standing } from '@thaw/contract/safety';
import {
  hasCandidate,
  maySearch,
  mayMeet,
  type SearchCriteria,
  queueCriteria,
} from './search-criteria.functions';

const createStanding = (kind: Standing['kind']): Standing => ({ ...goodStanding, kind });

describe('the standing', () => {
  it.each([
    ['good', true],
    ['care', true],
    ['age_question', false],
    ['suspended', false],
    ['banned', false],
  ] as const)('%s allows a search, and a chat with a user of the same standing: %s', (kind, expected) => {
    expect(maySearch(createStanding(kind))).toBe(expected);
    expect(mayMeet(createStanding(kind), createStanding(kind))).toBe(expected);
  });

  // Users of the standing `care`, whom moderation has flagged, are matched only with each other.
  it('does not allow a chat between users of different pools', () => {
    expect(mayMeet(createStanding('good'), createStanding('care'))).toBe(false);
    expect(mayMeet(createStanding('care'), createStanding('good'))).toBe(false);
  });
});

it('hasCandidate counts only other users of the same pool', () => {
  const criteria: SearchCriteria = { gender: 'male', preference: 'both', pool: 'care' };
  /** Fills the queues of male users who prefer both genders, one queue in each pool; all other queues are empty. */
  const createCounts = (counts: Record<SearchCriteria['pool'], number>) =>
    queueCriteria.map((queue) => {
      const isFilled = queue.gender === 'male' && queue.preference === 'both';
      return { ...queue, count: isFilled ? counts[queue.pool] : 0 };
    });
  // One of the users in the queue of the pool is the searching user.
  expect(hasCandidate(criteria, createCounts({ care: 1, common: 5 }))).toBe(false);
  expect(hasCandidate(criteria, createCounts({ care: 2, common: 0 }))).toBe(true);
});
