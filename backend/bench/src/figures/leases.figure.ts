import type { Driver } from '../driver/driver-process';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { type RunningBuild, startBuilds, stopBuilds } from '../service';
import {
  orderForRound,
  formatMicros,
  type Outcome,
  type Row,
  logProgress,
  type Settings,
  wait,
} from './figure';

const REPLICAS = 2;
/** The replicas notice new leases with their next renewal. */
const SETTLE_MS = 2_000;
const MAX_RATIO = 1.5;
const AIM = '≤ 1.1';
/** Expiry of a lease that outlives the run, as if its replica renewed it. */
const NEVER_EXPIRES = Date.now() + 24 * 60 * 60 * 1_000;
/** Live leases by expiry, and the same replicas ordered by name. */
const LEASES_KEY = '{matching}:leases';
const NAMES_KEY = '{matching}:lease-names';

/**
 * P17: CPU µs of Redis per second and idle replica, by the total number of replicas. Compared with ten replicas. Only
 * two replicas run; of the others only the leases exist.
 */
export const measureLeases = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const builds = await startBuilds({ replicas: REPLICAS, hasWorker: false });
  const idle = await BenchStores.open({ hasDatabase: false });
  const turns = new Map<string, number[]>();
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`leases, round ${round} of ${settings.rounds}`);
      for (const leases of orderForRound(settings.leaseCounts, round)) {
        for (const { stores } of builds) await setLeases(stores, leases);
        await wait(SETTLE_MS);
        const costs = await measureCpuPerReplica(builds, idle, settings.seconds);
        for (const [index, { name }] of builds.entries()) {
          const turn = formatTurnName(name, leases);
          turns.set(turn, [...(turns.get(turn) ?? []), costs[index] ?? NaN]);
          logProgress(`  ${turn}: ${formatMicros(costs[index] ?? NaN)}`);
        }
      }
    }
  } finally {
    await idle.end();
    await stopBuilds(builds);
  }
  const others = builds.slice(1).map(({ name }) => name);
  return {
    rows: createRows(turns, settings.leaseCounts, others),
    faults: [],
    raw: Object.fromEntries(turns),
  };
};

const formatTurnName = (build: string, leases: number): string =>
  `${build}, ${leases.toLocaleString('en')} leases`;

/** Adds leases to those of the running replicas, up to `count`. */
const setLeases = async ({ redis }: BenchStores, count: number): Promise<void> => {
  const wantedNames = Array.from({ length: count - REPLICAS }, (_, index) => `bench-${index}`);
  const presentNames = (await redis.zrange(LEASES_KEY, '0', '-1')).filter((name) =>
    name.startsWith('bench-'),
  );
  const pipeline = redis.pipeline();
  if (presentNames.length > 0) pipeline.zrem(LEASES_KEY, ...presentNames).zrem(NAMES_KEY, ...presentNames);
  for (const name of wantedNames) pipeline.zadd(LEASES_KEY, NEVER_EXPIRES, name).zadd(NAMES_KEY, 0, name);
  await pipeline.exec();
};

/** @returns Redis CPU-µs per replica and second for each build, minus the cost of a Redis without clients. */
const measureCpuPerReplica = async (
  builds: readonly RunningBuild[],
  idle: BenchStores,
  seconds: number,
): Promise<number[]> => {
  const readCpu = (): Promise<number[]> =>
    Promise.all([idle, ...builds.map(({ stores }) => stores)].map((stores) => stores.readRedisCpuMicros()));
  const before = await readCpu();
  const startedAt = performance.now();
  await wait(seconds * 1_000);
  const after = await readCpu();
  const elapsed = (performance.now() - startedAt) / 1_000;
  const [idleMicros = 0, ...spent] = after.map((micros, index) => micros - (before[index] ?? 0));
  return spent.map((micros) => (micros - idleMicros) / elapsed / REPLICAS);
};

const createRows = (
  turns: ReadonlyMap<string, readonly number[]>,
  leases: readonly number[],
  others: readonly string[],
): Row[] => {
  const createRow = (count: number, against: string, gate?: number): Row => {
    const [ours, theirs] = [turns.get(formatTurnName('thaw', count)) ?? [], turns.get(against) ?? []];
    const ratio = computeRatios(ours, theirs);
    return {
      figure: 'P17',
      what: `Redis CPU per replica and second at rest, ${count.toLocaleString('en')} leases`,
      ours: formatMicros(median(ours)),
      against,
      theirs: formatMicros(median(theirs)),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim: gate === undefined ? '' : AIM,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const [fewest = 0, ...more] = leases;
  const most = leases.at(-1) ?? fewest;
  return [
    ...more.map((count) => createRow(count, formatTurnName('thaw', fewest), MAX_RATIO)),
    ...others.map((other) => createRow(most, formatTurnName(other, most))),
  ];
};
