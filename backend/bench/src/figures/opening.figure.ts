import path from 'node:path';
import { prepareProductEnvironment } from '../../../../deploy/local/product-environment.mjs';
import type { OpeningResult } from '../driver/visitor-group';
import type { Driver } from '../driver/driver-process';
import { PostgresMeter, STATISTICS_LAG_MS } from '../measure/postgres';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import type { BenchStores } from '../measure/stores';
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

/** CPU time in µs of each kind of process. */
interface Cpu {
  node: number;
  postgres: number;
  redis: number;
}

/** A build of Thaw or the baseline to compare it with. */
interface Contender {
  name: string;
  kind: 'thaw' | 'socket.io';
  /** Identifies the visitors in the driver's process who open the sockets. */
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
  const run = new OpeningRun(driver, settings, builds);
  try {
    await run.openContenders();
    await run.warmUp();
    await run.measureRounds();
    if (settings.profileFolder) await run.takeProfile(profiler);
    const transactions = await run.countTransactionsPerSocket();
    const [, ...comparedBuilds] = builds.map(({ name }) => name); // the first one is ours
    return {
      rows: createRows(run.turns, comparedBuilds, transactions),
      faults: run.faults,
      raw: { ...Object.fromEntries(run.turns), transactions },
    };
  } finally {
    await run.close();
  }
};

/**
 * The contenders of one run, with the results of their turns. In a turn, the visitors open all their sockets to one
 * contender, and close them.
 */
class OpeningRun {
  /** CPU time per socket of each turn, by the name of the contender. */
  readonly turns = new Map<string, Cpu[]>();
  readonly faults: string[] = [];
  private readonly contenders: Contender[] = [];
  private baselineServer: ServerProcess | undefined;

  constructor(
    private readonly driver: Driver,
    private readonly settings: Settings,
    private readonly builds: readonly RunningBuild[],
  ) {}

  /** Opens our build, the baseline and the other builds, in this order. */
  async openContenders(): Promise<void> {
    for (const build of this.builds) {
      const contender = await this.addBuild(build);
      if (build.name === ourBuild.name) await this.addBaseline(contender);
    }
  }

  private async addBuild({ name, stores, service }: RunningBuild): Promise<Contender> {
    const [replica] = service.replicas;
    if (!replica) throw new Error('No replica');
    const { origin, server } = replica;
    const { openedSockets } = this.settings;
    logProgress(`  signing ${openedSockets} visitors up at ${name}`);
    const group = await this.driver.call('signUp', { origin, visitors: openedSockets });
    const postgres = await PostgresMeter.open(stores.databaseUrl);
    const contender: Contender = { name, kind: 'thaw', group, origin, server, stores, postgres };
    this.contenders.push(contender);
    return contender;
  }

  /** Starts the baseline, which uses the visitors and the stores of our build. */
  private async addBaseline(ours: Contender): Promise<void> {
    const { server, port } = await startBaseline(ours.stores);
    this.baselineServer = server;
    const origin = `http://127.0.0.1:${port}`;
    this.contenders.push({ ...ours, name: BASELINE, kind: 'socket.io', origin, server });
  }

  /**
   * Runs turns whose CPU time is not counted. V8 needs some 10,000 openings to compile the code that they use.
   * Meanwhile its compiler takes 60 µs per socket, for each contender.
   */
  async warmUp(): Promise<void> {
    for (let turn = 0; turn < this.settings.warmUpOpenings; turn += 1)
      for (const contender of this.contenders) await this.runTurn(contender);
  }

  async measureRounds(): Promise<void> {
    const { rounds } = this.settings;
    for (let round = 1; round <= rounds; round += 1) {
      logProgress(`opening, round ${round} of ${rounds}`);
      for (const contender of orderForRound(this.contenders, round)) {
        const { name } = contender;
        const cpuPerSocket = await this.runTurn(contender);
        this.turns.set(name, [...(this.turns.get(name) ?? []), cpuPerSocket]);
        const { node, postgres, redis } = cpuPerSocket;
        logProgress(
          `  ${name}: ${formatMicros(node)}, postgres ${formatMicros(postgres)}, redis ${formatMicros(redis)}`,
        );
      }
    }
  }

  /** Takes a CPU profile of our replica. */
  async takeProfile(profiler: ReturnType<typeof createProfiler>): Promise<void> {
    const { ours } = this;
    profiler.toggle([ours.server]);
    await this.runTurn(ours);
    profiler.toggle([ours.server]);
    await wait(PROFILE_WRITE_MS);
    profiler.logReport('opening');
  }

  async countTransactionsPerSocket(): Promise<number> {
    const { ours } = this;
    const count = await countTransactions(ours.postgres, () => this.runTurn(ours));
    return count / this.settings.openedSockets;
  }

  private get ours(): Contender {
    const ours = this.contenders.find(({ name }) => name === ourBuild.name);
    if (!ours) throw new Error('No build');
    return ours;
  }

  /** Runs a turn, and records a fault if not all sockets were opened. @returns the CPU time per socket */
  private async runTurn(contender: Contender): Promise<Cpu> {
    const { openedSockets } = this.settings;
    const { cpuPerSocket, result } = await measureTurn(this.driver, contender);
    if (result.opened !== openedSockets)
      this.faults.push(
        `${contender.name}: ${result.opened} of ${openedSockets} opened ${result.firstError ?? ''}`,
      );
    return cpuPerSocket;
  }

  async close(): Promise<void> {
    for (const { group, postgres } of this.contenders) {
      await this.driver.call('closeGroup', { group }).catch(() => null);
      // The baseline has the meter of our build, and the second call of `end` fails.
      await postgres.end().catch(() => undefined);
    }
    await this.baselineServer?.stop();
    await stopBuilds(this.builds);
  }
}

const startBaseline = (stores: BenchStores): Promise<{ server: ServerProcess; port: number }> =>
  ServerProcess.startBaseline({
    name: BASELINE,
    script: path.join(__dirname, '../baselines/socket-io-sessions.js'),
    logFile: path.join(stores.home, 'baselines.log'),
    env: prepareProductEnvironment({ home: stores.home, stores }),
  });

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
 * Counts the transactions while sockets are opened, minus those that the idle processes make in the same time, counted
 * afterwards. Waits before each count until the statistics of PostgreSQL include all earlier transactions.
 */
const countTransactions = async (
  postgres: PostgresMeter,
  openSockets: () => Promise<unknown>,
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
  return countAfter - countBefore - idleCount;
};

/** @param transactions of our build, per socket */
const createRows = (
  turns: ReadonlyMap<string, readonly Cpu[]>,
  comparedBuilds: readonly string[],
  transactions: number,
): Row[] => {
  const createRow = (
    processKind: keyof Cpu,
    label: string,
    against: string,
    { gate, aim }: { gate?: number; aim?: number } = {},
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
      aim: aim === undefined ? '' : `≤ ${aim}`,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const nodeLabel = `api CPU to open and authenticate a socket, ${CONCURRENCY} at a time`;
  return [
    createRow('node', nodeLabel, BASELINE, { gate: MAX_RATIO_TO_BASELINE, aim: AIMED_RATIO_TO_BASELINE }),
    ...comparedBuilds.map((build) =>
      createRow('node', nodeLabel, build, { gate: MAX_RATIO_TO_EARLIER_BUILD }),
    ),
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
