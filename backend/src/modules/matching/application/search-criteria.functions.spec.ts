import { goodStanding, type Standing } from '@thaw/contract/safety';
import {
  hasCandidate,
  maySearch,
  mayMeet,
  type SearchCriteria,
  queueCriteria,
} from './search-criteria.functions';

const createStanding = (kind: Standing['kind']): Standing => ({ ...goodStanding, kind });

describe('the standing of a user who searches', () => {
  it.each([
    ['good', true],
    ['care', true],
    ['age_question', false],
    ['suspended', false],
    ['banned', false],
  ] as const)('%s: may search is %s', (kind, expected) => {
    expect(maySearch(createStanding(kind))).toBe(expected);
    expect(mayMeet(createStanding(kind), createStanding(kind))).toBe(expected);
  });

  it('keeps users of the two pools apart', () => {
    expect(mayMeet(createStanding('good'), createStanding('care'))).toBe(false);
    expect(mayMeet(createStanding('care'), createStanding('good'))).toBe(false);
  });
});

it('counts only users of the own pool, other than oneself, as candidates of a search', () => {
  const criteria: SearchCriteria = { gender: 'male', preference: 'both', pool: 'care' };
  const count = (careCount: number, commonCount: number) =>
    queueCriteria.map((queue) => {
      const isSameButPool = queue.gender === 'male' && queue.preference === 'both';
      return { ...queue, count: isSameButPool ? (queue.pool === 'care' ? careCount : commonCount) : 0 };
    });
  expect(hasCandidate(criteria, count(1, 5))).toBe(false);
  expect(hasCandidate(criteria, count(2, 0))).toBe(true);
});
