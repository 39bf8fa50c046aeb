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
/** Limits of a ratio: the cost with more leases, divided by the cost with the fewest. Ideally the costs are equal. */
const MAX_RATIO = 1.5;
const AIMED_RATIO = 1.1;
/** Expiry of the leases that the bench adds. They are not renewed, so they must not expire during the run. */
const EXPIRY_AFTER_RUN = Date.now() + 24 * 60 * 60 * 1_000;
/** Sorted set of the live replicas, by the expiry of their leases. */
const LEASES_KEY = '{matching}:leases';
/** Sorted set of the same replicas by name: all scores are 0. */
const NAMES_KEY = '{matching}:lease-names';

/**
 * P17: CPU µs of Redis per second and replica without users, by the total number of replicas. Larger numbers are
 * compared with the smallest, ten. Each replica renews a lease in Redis, which shows the others that it is alive. Only
 * two replicas run; of the others only the leases exist.
 */
export const measureLeases = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const builds = await startBuilds({ replicas: RUNNING_REPLICAS, hasWorker: false });
  const baselineStores = await BenchStores.open({ hasDatabase: false });
  /** For each turn (a build with a number of leases), the CPU µs of Redis per replica and second in each round. */
  const microsByTurn = new Map<string, number[]>();
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`leases, round ${round} of ${settings.rounds}`);
      for (const leaseCount of orderForRound(settings.replicaLeaseCounts, round)) {
        for (const { stores } of builds) await setLeases(stores, leaseCount);
        await wait(SETTLE_MS);
        const micros = await measureCpuPerReplica(builds, baselineStores, settings.seconds);
        for (const [index, { name }] of builds.entries()) {
          const turnName = formatTurnName(name, leaseCount);
          microsByTurn.set(turnName, [...(microsByTurn.get(turnName) ?? []), micros[index] ?? NaN]);
          logProgress(`  ${turnName}: ${formatMicros(micros[index] ?? NaN)}`);
        }
      }
    }
  } finally {
    await baselineStores.end();
    await stopBuilds(builds);
  }
  const comparedBuilds = builds.map(({ name }) => name).filter((name) => name !== ourBuild.name);
  return {
    rows: createRows(microsByTurn, settings.replicaLeaseCounts, comparedBuilds),
    faults: [],
    raw: Object.fromEntries(microsByTurn),
  };
};

const formatTurnName = (buildName: string, leaseCount: number): string =>
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

/** @returns CPU µs of Redis per replica and second for each build, minus the CPU of a Redis without clients */
const measureCpuPerReplica = async (
  builds: readonly RunningBuild[],
  baselineStores: BenchStores,
  seconds: number,
): Promise<number[]> => {
  const allStores = [baselineStores, ...builds.map(({ stores }) => stores)];
  const readCpu = (): Promise<number[]> =>
    Promise.all(allStores.map((stores) => stores.readRedisCpuMicros()));
  const before = await readCpu();
  const startedAt = performance.now();
  await wait(seconds * 1_000);
  const after = await readCpu();
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  const [baselineMicros = 0, ...buildMicros] = after.map((micros, index) => micros - (before[index] ?? 0));
  return buildMicros.map((micros) => (micros - baselineMicros) / elapsedSeconds / RUNNING_REPLICAS);
};

const createRows = (
  microsByTurn: ReadonlyMap<string, readonly number[]>,
  leaseCounts: readonly number[],
  comparedBuilds: readonly string[],
): Row[] => {
  /**
   * @param against the turn to compare with: of another build, or of ours with fewer leases
   * @param gate limit of the ratio; a row without it is for information only
   */
  const createRow = (count: number, against: string, gate?: number): Row => {
    const ours = microsByTurn.get(formatTurnName(ourBuild.name, count)) ?? [];
    const theirs = microsByTurn.get(against) ?? [];
    const ratio = computeRatios(ours, theirs);
    return {
      figure: 'P17',
      label: `Redis CPU per replica and second at rest, ${count.toLocaleString('en')} leases`,
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
    ...more.map((count) => createRow(count, formatTurnName(ourBuild.name, fewest), MAX_RATIO)),
    ...comparedBuilds.map((build) => createRow(most, formatTurnName(build, most))),
  ];
};
