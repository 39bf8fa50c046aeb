// Uses a real Redis. Random operations run on the real queue and on a reference model, which are compared.
import fc from 'fast-check';
import { connectRedis } from '../../../platform/redis/redis-connection.factory';
import { MatchQueueComparison } from '../../../testing/match-queue-comparison.model';
import { anyCrowd, anySteps } from '../../../testing/match-queue-steps.fixture';
import { createTestRedis, type TestRedis } from '../../../testing/test-redis.harness';

const isLongRun = process.env.THAW_TEST_LONG === '1';
/** Number of random sequences of operations, half of them in each of the two tests. */
const SEQUENCES = Number(process.env.THAW_TEST_DRAWS ?? (isLongRun ? 100_000 : 2_000));
/** Short runs have short sequences, since each operation costs some round trips to Redis. */
const MAX_STEPS = isLongRun ? 40 : 16;
const TIMEOUT_MS = isLongRun ? 7_200_000 : 60_000;
/** Short runs repeat the same sequences of operations; long runs try new ones. */
const SEED = Number(process.env.THAW_TEST_SEED ?? (isLongRun ? Date.now() % 2 ** 31 : 20_261_120));
/**
 * Operations, and results of attempts to match, as `MatchQueueComparison` counts them. `waits`: no partner was found.
 * `restart`: a replica died and started with a new id. A run in which one of them is less frequent proves little.
 */
const FREQUENT = [
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
/** `care` and `common` are moves to the pool of flagged users and back. */
const RARE = [
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

describe('the match queue', () => {
  let store: TestRedis;

  beforeAll(async () => {
    store = await createTestRedis();
  });
  afterAll(() => store.close());

  it.each([
    { relaxAfterS: 600, when: 'while cool-downs hold' },
    { relaxAfterS: 0, when: 'while cool-downs are ignored' },
  ])(
    'keeps every user in one place and leaves no matchable pair waiting $when, in any order of operations',
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
            const model = new MatchQueueComparison(client, crowd, relaxAfterS);
            await model.start();
            for (const step of steps) await model.execute(step);
            for (const [name, count] of model.counts) counts.set(name, (counts.get(name) ?? 0) + count);
          }),
          { seed: SEED, numRuns: SEQUENCES / 2 },
        );
        for (const name of FREQUENT) expect(counts.get(name)).toBeGreaterThan(MIN_FREQUENT_COUNT);
        for (const name of RARE) expect(counts.get(name)).toBeGreaterThan(MIN_RARE_COUNT);
        // Recent partners are matched again only while cool-downs are ignored.
        if (relaxAfterS === 0) expect(counts.get('matched again')).toBeGreaterThan(MIN_RARE_COUNT);
      } finally {
        client.disconnect();
      }
    },
    TIMEOUT_MS,
  );
});
