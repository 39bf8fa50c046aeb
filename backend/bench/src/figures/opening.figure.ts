import path from 'node:path';
import { prepareProductEnvironment } from '../../../../deploy/local/product-environment.mjs';
import type { OpeningResult } from '../driver/visitor-group';
import type { Driver } from '../driver/driver-process';
import { PostgresMeter, STATISTICS_LAG_MS } from '../measure/postgres';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import type { BenchStores } from '../measure/stores';
import { ourBuild, startBuilds, stopBuilds } from '../service';
import {
  orderForRound,
  formatMicros,
  type Outcome,
  type Row,
  logProgress,
  type Settings,
  wait,
} from './figure';

/** CPU time in µs of each kind of process: the total so far, or the average per socket that was opened in a turn. */
interface Cpu {
  node: number;
  postgres: number;
  redis: number;
}

/** A build of Thaw or the baseline to compare it with. */
interface Contender {
  name: string;
  kind: 'thaw' | 'socket.io';
  /** Number of the group of visitors in the driver's process who open the sockets. */
  group: number;
  origin: string;
  server: ServerProcess;
  stores: BenchStores;
  postgres: PostgresMeter;
}

const CONCURRENCY = 64;
/** After a socket is open, the server records and publishes the user's presence. This CPU time counts, too. */
const PRESENCE_SETTLE_MS = 300;
/** After this time without a socket, users are offline, and their next socket costs the same as the first. */
const OFFLINE_AFTER_MS = 4_000;
const BASELINE = 'socket.io, same look-up';
// Limits of the ratio of our CPU time to that of another contender (`gate` and `aim` of a row).
const MAX_RATIO_TO_BASELINE = 1.25;
const AIMED_RATIO_TO_BASELINE = 0.8;
/**
 * For every build of BENCH_SERVICE. Meant for builds that are older than an optimization of the opening of sockets: a
 * newer build costs about the same as ours, so the row then misses its gate.
 */
const MAX_RATIO_TO_EARLIER_BUILD = 0.65;
/** One transaction per socket, plus the second check of logins, which runs once for many sockets. */
const MAX_TRANSACTIONS = 1.2;

/**
 * P13: CPU µs to open and authenticate one socket, of the replica, PostgreSQL and Redis, and transactions per socket.
 * Compared with Socket.IO that looks up the same session in the same PostgreSQL.
 */
export const measureOpening = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const profiler = createProfiler(settings.profileFolder);
  const builds = await startBuilds({ replicas: 1, hasWorker: false }, profiler.prepare('opening'));
  const baselines: ServerProcess[] = [];
  const contenders: Contender[] = [];
  try {
    for (const { name, stores, service } of builds) {
      const [replica] = service.replicas;
      if (!replica) throw new Error('No replica');
      logProgress(`  signing ${settings.openedSockets} visitors up at ${name}`);
      const group = await driver.call('signUp', { origin: replica.origin, visitors: settings.openedSockets });
      const postgres = await PostgresMeter.open(stores.databaseUrl);
      contenders.push({ name, kind: 'thaw', group, ...replica, stores, postgres });
      if (name !== ourBuild.name) continue;
      // The baseline has the visitors and the stores of our build.
      const { server, port } = await startBaseline(stores);
      baselines.push(server);
      const origin = `http://127.0.0.1:${port}`;
      contenders.push({ name: BASELINE, kind: 'socket.io', group, origin, server, stores, postgres });
    }
    const faults: string[] = [];
    const turns = new Map<string, Cpu[]>();
    const runTurn = async (contender: Contender): Promise<Cpu> => {
      const { cpuPerSocket, result } = await measureTurn(driver, contender);
      if (result.opened !== settings.openedSockets)
        faults.push(
          `${contender.name}: ${result.opened} of ${settings.openedSockets} opened ${result.firstError ?? ''}`,
        );
      return cpuPerSocket;
    };
    // A warm-up, whose CPU time is not counted. V8 needs some 10,000 openings to compile what they use; before, its
    // compiler takes 60 µs per socket, for each contender.
    for (let turn = 0; turn < settings.warmUpOpenings; turn += 1)
      for (const contender of contenders) await runTurn(contender);
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`opening, round ${round} of ${settings.rounds}`);
      for (const contender of orderForRound(contenders, round)) {
        const cpuPerSocket = await runTurn(contender);
        turns.set(contender.name, [...(turns.get(contender.name) ?? []), cpuPerSocket]);
        const { node, postgres, redis } = cpuPerSocket;
        logProgress(
          `  ${contender.name}: ${formatMicros(node)}, postgres ${formatMicros(postgres)}, redis ${formatMicros(redis)}`,
        );
      }
    }
    const [ours] = contenders;
    if (!ours) throw new Error('No build');
    if (settings.profileFolder) {
      profiler.toggle([ours.server]);
      await runTurn(ours);
      profiler.toggle([ours.server]);
      await wait(PROFILE_WRITE_MS);
      profiler.logReport('opening');
    }
    const transactions = await countTransactions(ours, () => runTurn(ours), settings.openedSockets);
    const comparedBuilds = builds.slice(1).map(({ name }) => name);
    return {
      rows: createRows(turns, comparedBuilds, transactions),
      faults,
      raw: { ...Object.fromEntries(turns), transactions },
    };
  } finally {
    for (const { group, postgres } of contenders) {
      await driver.call('closeGroup', { group }).catch(() => null);
      await postgres.end().catch(() => undefined); // two contenders share one meter, and the second call fails
    }
    await Promise.all(baselines.map((server) => server.stop()));
    await stopBuilds(builds);
  }
};

const startBaseline = (stores: BenchStores): Promise<{ server: ServerProcess; port: number }> =>
  ServerProcess.startBaseline({
    name: BASELINE,
    script: path.join(__dirname, '../baselines/socket-io-sessions.js'),
    logFile: path.join(stores.home, 'baselines.log'),
    env: prepareProductEnvironment({ home: stores.home, stores }),
  });

/** In a turn, the visitors open all their sockets once, to one contender, and close them. */
const measureTurn = async (
  driver: Driver,
  { kind, group, origin, server, stores, postgres }: Contender,
): Promise<{ cpuPerSocket: Cpu; result: OpeningResult }> => {
  const readCpu = async (): Promise<Cpu> => ({
    node: server.cpuMicros,
    postgres: postgres.cpuMicros,
    redis: await stores.readRedisCpuMicros(),
  });
  const before = await readCpu();
  const result = await driver.call('openSockets', { group, kind, origin, concurrency: CONCURRENCY });
  await wait(PRESENCE_SETTLE_MS);
  const after = await readCpu();
  await driver.call('closeSockets', { group });
  await wait(OFFLINE_AFTER_MS);
  const computePerSocket = (processKind: keyof Cpu): number =>
    (after[processKind] - before[processKind]) / result.opened;
  return {
    cpuPerSocket: {
      node: computePerSocket('node'),
      postgres: computePerSocket('postgres'),
      redis: computePerSocket('redis'),
    },
    result,
  };
};

/**
 * Counts the transactions while sockets are opened, minus those that the processes make in the same time when idle. The
 * idle transactions are counted afterwards, during `STATISTICS_LAG_MS`. The function waits this long before each count,
 * because PostgreSQL includes a transaction in its statistics with this delay.
 * @returns transactions per socket
 */
const countTransactions = async (
  { postgres }: Contender,
  openSockets: () => Promise<unknown>,
  sockets: number,
): Promise<number> => {
  await wait(STATISTICS_LAG_MS);
  const countBefore = await postgres.countTransactions();
  const startedAt = performance.now();
  await openSockets();
  await wait(STATISTICS_LAG_MS);
  const elapsedMs = performance.now() - startedAt;
  const countAfter = await postgres.countTransactions();
  await wait(STATISTICS_LAG_MS);
  const idleCountPerLag = (await postgres.countTransactions()) - countAfter;
  const idleCount = (idleCountPerLag * elapsedMs) / STATISTICS_LAG_MS;
  return (countAfter - countBefore - idleCount) / sockets;
};

const createRows = (
  turns: ReadonlyMap<string, readonly Cpu[]>,
  comparedBuilds: readonly string[],
  transactions: number,
): Row[] => {
  const createRow = (
    processKind: keyof Cpu,
    label: string,
    against: string,
    gate?: number,
    aim = '',
  ): Row => {
    const getValues = (name: string): number[] => (turns.get(name) ?? []).map((cpu) => cpu[processKind]);
    const ratio = computeRatios(getValues(ourBuild.name), getValues(against));
    return {
      figure: 'P13',
      label,
      ours: formatMicros(median(getValues(ourBuild.name))),
      against,
      theirs: formatMicros(median(getValues(against))),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const nodeLabel = `api CPU to open and authenticate a socket, ${CONCURRENCY} at a time`;
  return [
    createRow('node', nodeLabel, BASELINE, MAX_RATIO_TO_BASELINE, `≤ ${AIMED_RATIO_TO_BASELINE}`),
    ...comparedBuilds.map((build) => createRow('node', nodeLabel, build, MAX_RATIO_TO_EARLIER_BUILD)),
    createRow('postgres', 'PostgreSQL CPU of it', BASELINE),
    ...comparedBuilds.map((build) => createRow('postgres', 'PostgreSQL CPU of it', build)),
    ...comparedBuilds.map((build) => createRow('redis', 'Redis CPU of it', build)),
    {
      figure: 'P13',
      label: 'PostgreSQL transactions for it',
      ours: transactions.toFixed(2),
      against: '',
      theirs: '',
      gate: `≤ ${MAX_TRANSACTIONS}`,
      aim: '',
      isReached: transactions <= MAX_TRANSACTIONS,
    },
  ];
};
