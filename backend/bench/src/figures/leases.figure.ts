import type { Driver } from '../driver/driver-process';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { ourBuild, type RunningBuild, startBuilds, stopBuilds } from '../service';
import {
  orderForRound,
  formatMicros,
  type Outcome,
  type Row,
  logProgress,
  type Settings,
  wait,
} from './figure';

const RUNNING_REPLICAS = 2;
/** Within this time every replica renews its own lease, and thereby notices the other leases. */
const SETTLE_MS = 2_000;
/** Limits of the cost with more leases, divided by the cost with the fewest. Ideally the costs are equal. */
const MAX_RATIO = 1.5;
const AIMED_RATIO = 1.1;
/** Expiry of the leases that the bench adds. They are not renewed, so they must not expire during the run. */
const EXPIRY_AFTER_RUN = Date.now() + 24 * 60 * 60 * 1_000;
/** Sorted set of the live replicas, by the expiry of their leases. */
const LEASES_KEY = '{matching}:leases';
/** Sorted set of the same replicas by name: all scores are 0. */
const NAMES_KEY = '{matching}:lease-names';

/**
 * P17: CPU µs of Redis per second and replica without users, by the total number of replicas. Each replica renews a
 * lease in Redis, which shows the others that it is alive. Only two replicas run; of the others only the leases exist.
 *
 * A contender is a build with a number of leases. Our build is compared with itself at the smallest number, and with
 * other builds at the largest.
 */
export const measureLeases = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const builds = await startBuilds({ replicas: RUNNING_REPLICAS, hasWorker: false });
  const unusedStores = await BenchStores.open({ hasDatabase: false });
  /** For each contender, the CPU µs of Redis per replica and second in each round. */
  const microsByContender = new Map<string, number[]>();
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`leases, round ${round} of ${settings.rounds}`);
      for (const leaseCount of orderForRound(settings.replicaLeaseCounts, round)) {
        for (const { stores } of builds) await setLeases(stores, leaseCount);
        await wait(SETTLE_MS);
        for (const { name, micros } of await measureBuilds(builds, unusedStores, settings.seconds)) {
          const contender = nameContender(name, leaseCount);
          const earlierMicros = microsByContender.get(contender) ?? [];
          microsByContender.set(contender, [...earlierMicros, micros]);
          logProgress(`  ${contender}: ${formatMicros(micros)}`);
        }
      }
    }
  } finally {
    await unusedStores.end();
    await stopBuilds(builds);
  }
  const comparedBuilds = builds.map(({ name }) => name).filter((name) => name !== ourBuild.name);
  return {
    rows: createRows(microsByContender, settings.replicaLeaseCounts, comparedBuilds),
    faults: [],
    raw: Object.fromEntries(microsByContender),
  };
};

const nameContender = (buildName: string, leaseCount: number): string =>
  `${buildName}, ${leaseCount.toLocaleString('en')} leases`;

/** Replaces the leases that the bench has added, so that there are `count` with those of the running replicas. */
const setLeases = async ({ redis }: BenchStores, count: number): Promise<void> => {
  const wantedNames = Array.from({ length: count - RUNNING_REPLICAS }, (_, index) => `bench-${index}`);
  const presentNames = (await redis.zrange(LEASES_KEY, '0', '-1')).filter((name) =>
    name.startsWith('bench-'),
  );
  const pipeline = redis.pipeline();
  if (presentNames.length > 0) pipeline.zrem(LEASES_KEY, ...presentNames).zrem(NAMES_KEY, ...presentNames);
  for (const name of wantedNames) pipeline.zadd(LEASES_KEY, EXPIRY_AFTER_RUN, name).zadd(NAMES_KEY, 0, name);
  await pipeline.exec();
};

/**
 * @param unusedStores their Redis has no clients; the CPU that it uses is subtracted
 * @returns for each build, the CPU µs of Redis per replica and second
 */
const measureBuilds = async (
  builds: readonly RunningBuild[],
  unusedStores: BenchStores,
  seconds: number,
): Promise<{ name: string; micros: number }[]> => {
  const allStores = [unusedStores, ...builds.map(({ stores }) => stores)];
  const readCpu = (): Promise<number[]> =>
    Promise.all(allStores.map((stores) => stores.readRedisCpuMicros()));
  const before = await readCpu();
  const startedAt = performance.now();
  await wait(seconds * 1_000);
  const after = await readCpu();
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  const [unusedMicros = 0, ...buildMicros] = after.map((micros, index) => micros - (before[index] ?? 0));
  return builds.map(({ name }, index) => ({
    name,
    micros: ((buildMicros[index] ?? NaN) - unusedMicros) / elapsedSeconds / RUNNING_REPLICAS,
  }));
};

const createRows = (
  microsByContender: ReadonlyMap<string, readonly number[]>,
  leaseCounts: readonly number[],
  comparedBuilds: readonly string[],
): Row[] => {
  /**
   * @param against the contender with which our build is compared
   * @param gate limit of the ratio; a row without it is for information only
   */
  const createRow = (leaseCount: number, against: string, gate?: number): Row => {
    const ours = microsByContender.get(nameContender(ourBuild.name, leaseCount)) ?? [];
    const theirs = microsByContender.get(against) ?? [];
    const ratio = computeRatios(ours, theirs);
    return {
      figure: 'P17',
      label: `Redis CPU per replica and second at rest, ${leaseCount.toLocaleString('en')} leases`,
      ours: formatMicros(median(ours)),
      against,
      theirs: formatMicros(median(theirs)),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim: gate === undefined ? '' : `≤ ${AIMED_RATIO}`,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const [fewest = 0, ...more] = leaseCounts;
  const most = leaseCounts.at(-1) ?? fewest;
  return [
    ...more.map((count) => createRow(count, nameContender(ourBuild.name, fewest), MAX_RATIO)),
    ...comparedBuilds.map((build) => createRow(most, nameContender(build, most))),
  ];
};
