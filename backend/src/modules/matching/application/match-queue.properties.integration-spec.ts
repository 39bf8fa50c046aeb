// Uses a real Redis. Random operations run on the real queue and on a reference model, which are compared.
import fc from 'fast-check';
import { connectRedis } from '../../../platform/redis/redis-connection.factory';
import { MatchQueueComparison } from '../../../testing/match-queue-comparison.model';
import { anyCrowd, anySteps } from '../../../testing/match-queue-steps.fixture';
import { createTestRedis, type TestRedis } from '../../../testing/test-redis.harness';

const isLongRun = process.env.THAW_TEST_LONG === '1';
/** Number of random sequences of operations. The two tests below share them. */
const SEQUENCE_COUNT = Number(process.env.THAW_TEST_SEQUENCES ?? (isLongRun ? 100_000 : 2_000));
/** Short runs have short sequences, since each operation costs some round trips to Redis. */
const MAX_STEPS = isLongRun ? 40 : 16;
const TIMEOUT_MS = isLongRun ? 7_200_000 : 60_000;
/** Short runs repeat the same sequences of operations, because their seed is fixed; long runs try new sequences. */
const SEED = Number(process.env.THAW_TEST_SEED ?? (isLongRun ? Date.now() % 2 ** 31 : 20_261_120));
/**
 * Cases that a run must contain to prove something, each more often than `MIN_FREQUENT_COUNT`: operations (see `Step`),
 * and results of searches (`waits`: no partner was found).
 */
const FREQUENT_CASES = [
  'matched',
  'waits',
  'confirm',
  'release',
  'finish',
  'restart',
  'block',
  'unblock',
  'flag',
  'unflag',
  'suspend',
];
const MIN_FREQUENT_COUNT = 15;
/**
 * Further cases, of which each must occur more often than `MIN_RARE_COUNT`. `care` is a move to the care pool, in which
 * only flagged users are matched; `common` is a move back. A matched user is `claimed` until the chat starts.
 */
const RARE_CASES = [
  'block while claimed',
  'block while chatting',
  'care while searching',
  'care while claimed',
  'common while searching',
  'suspend while searching',
  'suspend while claimed',
  'matched in the care pool',
];
const MIN_RARE_COUNT = 3;

const addCounts = (totals: Map<string, number>, counts: ReadonlyMap<string, number>): void => {
  for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count);
};

describe('the match queue', () => {
  let store: TestRedis;

  beforeAll(async () => {
    store = await createTestRedis();
  });
  afterAll(() => store.close());

  it.each([
    // The partners of a chat are not matched again during a cool-down, which a search ignores after `relaxAfterS`.
    { relaxAfterS: 600, when: 'while cool-downs hold' },
    { relaxAfterS: 0, when: 'while cool-downs are ignored' },
  ])(
    'keeps every user in one state and leaves no matchable pair waiting $when, in any order of operations',
    async ({ relaxAfterS }) => {
      const counts = new Map<string, number>();
      const client = connectRedis(
        { REDIS_URL: store.url },
        { enableOfflineQueue: true, commandTimeout: 5_000 },
      );
      try {
        await fc.assert(
          fc.asyncProperty(anyCrowd, anySteps(MAX_STEPS), async (crowd, steps) => {
            await store.flush();
            const comparison = new MatchQueueComparison(client, crowd, relaxAfterS);
            await comparison.start();
            for (const step of steps) await comparison.execute(step);
            addCounts(counts, comparison.counts);
          }),
          { seed: SEED, numRuns: SEQUENCE_COUNT / 2 },
        );
        for (const name of FREQUENT_CASES) expect(counts.get(name)).toBeGreaterThan(MIN_FREQUENT_COUNT);
        for (const name of RARE_CASES) expect(counts.get(name)).toBeGreaterThan(MIN_RARE_COUNT);
        // Recent partners are matched again only while cool-downs are ignored.
        if (relaxAfterS === 0) expect(counts.get('matched again')).toBeGreaterThan(MIN_RARE_COUNT);
      } finally {
        client.disconnect();
      }
    },
    TIMEOUT_MS,
  );
});
