import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import type { RelayResult } from '../driver/relay-load';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { type RunningBuild, startBuilds, stopBuilds } from '../service';
import {
  orderForRound,
  formatMicros,
  type Outcome,
  regressionGate,
  type Row,
  logProgress,
  type Settings,
  wait,
} from './figure';

/** Publishes each message to its receiver only. */
const MINIMAL_RELAY = 'minimal relay';
/** Publishes each message to all sockets of its chat, as users with several tabs need. */
const MINIMAL_RELAY_BY_CHAT = 'minimal relay by chat';
const SOCKET_IO = 'socket.io';
/** Name of our build in service.ts. */
const THAW = 'thaw';
const THAW_WITHOUT_WORKER = 'thaw, worker stopped';
/** One of the names above, or that of another build, to which the variable BENCH_SERVICE points. */
type ContenderName = string;

/** Result of one turn: one contender in one round. */
export interface Turn {
  /** CPU µs per message, of both replicas or both processes of a baseline. */
  node: number;
  /** CPU µs per message; 0 for a baseline. */
  worker: number;
  /** CPU µs per message. */
  redis: number;
  result: RelayResult;
}

type CpuKind = 'node' | 'worker' | 'redis';

/** A build of Thaw or a baseline to compare it with. */
export interface Contender {
  name: ContenderName;
  /** Identifies the contender's group of client pairs in the driver's process. */
  group: number;
  servers: readonly ServerProcess[];
  stores: BenchStores;
  /** A function, because the worker may have been stopped or replaced. */
  worker?: () => ServerProcess | undefined;
}

/**
 * CPU time includes JIT compilation, which is nearly complete after this time. A service runs compiled code for almost
 * all of its life, so the measurement begins then.
 */
export const WARM_UP_SECONDS = 8;
const PROFILE_SECONDS = 15;
const MAX_ROUNDS_WITHOUT_WORKER = 3;
/**
 * Wait after the last message of a turn. The worker persists messages in batches, so part of its work follows the last
 * message. The wait is longer than the 750 ms in which the worker collects a batch.
 */
const WORKER_SETTLE_MS = 1_000;

/**
 * Cost of relaying one chat message between two replicas:
 * P1: CPU µs of both replicas, compared with a minimal relay;
 * P2: the same, compared with Socket.IO;
 * P5: CPU µs of Redis with and without Thaw's worker, compared with the minimal relay. The worker moves the messages
 * from outboxes in Redis to PostgreSQL.
 */
export const measureRelay = async (
  driver: Driver,
  settings: Settings,
  wantedFigures: ReadonlySet<string>,
): Promise<Outcome> => {
  const baselineStores = await BenchStores.open({ hasDatabase: false });
  const profiler = createProfiler(settings.profileFolder);
  const profilingOptions = profiler.prepare('relay');
  const builds = await startBuilds({ replicas: 2 }, profilingOptions);
  const run = new RelayRun(driver, settings, { baselineStores, builds, profilingOptions });
  try {
    await run.openContenders({ hasSocketIo: wantedFigures.has('P2') });
    await run.warmUp();
    await run.measureRounds();
    if (wantedFigures.has('P5')) await run.measureRoundsWithoutWorker();
    if (settings.profileFolder) await run.takeProfiles(profiler);
    const [, ...comparedBuilds] = builds.map(({ name }) => name); // the first one is ours
    return {
      rows: createRows(run.turns, wantedFigures, comparedBuilds),
      faults: run.faults,
      raw: Object.fromEntries(run.turns),
    };
  } finally {
    await run.close();
  }
};

type Profiler = ReturnType<typeof createProfiler>;

interface RelayResources {
  /** Stores that all baselines share. */
  baselineStores: BenchStores;
  /** Our build, and after it the builds to compare it with. */
  builds: readonly RunningBuild[];
  /** With these options, a server can be profiled. */
  profilingOptions: ReturnType<Profiler['prepare']>;
}

/** The contenders of one run, with the results of their turns. */
class RelayRun {
  readonly turns = new Map<ContenderName, Turn[]>();
  readonly faults: string[] = [];
  private readonly contenders: Contender[] = [];
  private readonly baselineServers: ServerProcess[] = [];

  constructor(
    private readonly driver: Driver,
    private readonly settings: Settings,
    private readonly resources: RelayResources,
  ) {}

  async openContenders({ hasSocketIo }: { hasSocketIo: boolean }): Promise<void> {
    const script = 'minimal-relay.js';
    await this.addBaseline({ name: MINIMAL_RELAY, kind: 'minimal relay', script });
    await this.addBaseline({
      name: MINIMAL_RELAY_BY_CHAT,
      kind: 'minimal relay',
      script,
      env: { CHANNELS: 'chat' },
    });
    for (const build of this.resources.builds) await this.addBuild(build);
    if (hasSocketIo) {
      await this.addBaseline({ name: SOCKET_IO, kind: 'socket.io', script: 'socket-io-relay.js' });
    }
  }

  /** Starts two processes of a baseline and opens its client pairs. */
  private async addBaseline({
    name,
    kind,
    script,
    env = {},
  }: {
    name: ContenderName;
    kind: ContenderKind;
    script: string;
    env?: Record<string, string>;
  }): Promise<void> {
    const { baselineStores, profilingOptions } = this.resources;
    const started = await Promise.all(
      [1, 2].map((number) =>
        ServerProcess.startBaseline({
          name: `${name} ${number}`,
          script: path.join(__dirname, '../baselines', script),
          logFile: path.join(baselineStores.home, `${kind}.log`),
          env: {
            ...process.env,
            NODE_ENV: 'production',
            REDIS_URL: baselineStores.redisUrl,
            REPLICA_ID: `${name}-${number}`,
            ...profilingOptions.env,
            ...env,
          },
          nodeFlags: profilingOptions.nodeFlags,
        }),
      ),
    );
    const servers = started.map(({ server }) => server);
    this.baselineServers.push(...servers);
    const origins = started.map(({ port }) => `http://127.0.0.1:${port}`);
    const group = await this.openPairs(name, kind, origins);
    this.contenders.push({ name, group, servers, stores: baselineStores });
  }

  private async addBuild({ name, stores, service }: RunningBuild): Promise<void> {
    const group = await this.openPairs(name, 'thaw', service.origins);
    const servers = service.replicas.map(({ server }) => server);
    this.contenders.push({ name, group, servers, stores, worker: () => service.worker });
  }

  private openPairs(name: ContenderName, kind: ContenderKind, origins: readonly string[]): Promise<number> {
    logProgress(`  opening ${name}`);
    const [first = '', second = ''] = origins;
    return this.driver.call('openRelay', { kind, origins: [first, second], pairs: this.settings.pairs });
  }

  async warmUp(): Promise<void> {
    // A trial run, whose turns are very short, warms up only for the length of two turns.
    const seconds = Math.min(WARM_UP_SECONDS, this.settings.seconds * 2);
    for (const { name, group } of this.contenders) {
      const result = await this.runLoad(group, seconds);
      this.faults.push(...findFaults(`${name}, warming up`, result));
    }
  }

  async measureRounds(): Promise<void> {
    const { rounds } = this.settings;
    for (let round = 1; round <= rounds; round += 1) {
      logProgress(`relay, round ${round} of ${rounds}`);
      for (const contender of orderForRound(this.contenders, round)) await this.runTurn(contender);
    }
  }

  /** Stops our worker. Redis then only appends to the chats and fills the outboxes. */
  async measureRoundsWithoutWorker(): Promise<void> {
    const thaw = this.contenders.find(({ name }) => name === THAW);
    if (!thaw) return;
    const [ourBuild] = this.resources.builds;
    await ourBuild?.service.stopWorker();
    const rounds = Math.min(MAX_ROUNDS_WITHOUT_WORKER, this.settings.rounds);
    for (let round = 1; round <= rounds; round += 1) {
      await this.runTurn({ ...thaw, name: THAW_WITHOUT_WORKER });
    }
  }

  private async runTurn(contender: Contender): Promise<void> {
    const { name } = contender;
    const turn = await measureTurn(this.driver, contender, this.settings);
    this.turns.set(name, [...(this.turns.get(name) ?? []), turn]);
    this.faults.push(...findFaults(name, turn.result));
    const { node, worker, redis, result } = turn;
    logProgress(
      `  ${name}: node ${formatMicros(node)}, worker ${formatMicros(worker)}, redis ${formatMicros(redis)}, ` +
        `p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms`,
    );
  }

  async takeProfiles(profiler: Profiler): Promise<void> {
    for (const { name, group, servers } of this.contenders) {
      profiler.toggle(servers);
      await this.runLoad(group, PROFILE_SECONDS);
      profiler.toggle(servers);
      await wait(PROFILE_WRITE_MS);
      if (name === THAW) profiler.logReport('relay');
    }
  }

  private runLoad(group: number, seconds: number): Promise<RelayResult> {
    return this.driver.call('runRelay', { group, perSecond: this.settings.messagesPerSecond, seconds });
  }

  /** Closes the client pairs, then the servers, then the stores. */
  async close(): Promise<void> {
    const { baselineStores, builds } = this.resources;
    for (const { group } of this.contenders) {
      await this.driver.call('closeGroup', { group }).catch(() => null);
    }
    await Promise.all(this.baselineServers.map((server) => server.stop()));
    await stopBuilds(builds);
    await baselineStores.end();
  }
}

export const measureTurn = async (
  driver: Driver,
  contender: Contender,
  settings: Settings,
): Promise<Turn> => {
  const { group, servers, stores, worker } = contender;
  const readCpu = async (): Promise<Pick<Turn, CpuKind>> => ({
    node: servers.reduce((sum, server) => sum + server.cpuMicros, 0),
    worker: worker?.()?.cpuMicros ?? 0,
    redis: await stores.readRedisCpuMicros(),
  });
  const before = await readCpu();
  const result = await driver.call('runRelay', {
    group,
    perSecond: settings.messagesPerSecond,
    seconds: settings.seconds,
  });
  await wait(WORKER_SETTLE_MS);
  const after = await readCpu();
  const computePerMessage = (kind: CpuKind): number => (after[kind] - before[kind]) / result.sent;
  return {
    node: computePerMessage('node'),
    worker: computePerMessage('worker'),
    redis: computePerMessage('redis'),
    result,
  };
};

/** @returns one sentence, in a list, if messages were lost, refused, duplicated or out of order; otherwise `[]` */
export const findFaults = (name: string, result: RelayResult): string[] => {
  const { sent, acked, received, refused, storedAfterRefusal, outOfOrder, refusal = '' } = result;
  if (sent === acked && sent === received && outOfOrder === 0) return [];
  return [
    `${name}: ${sent} sent, ${acked} acknowledged, ${received} received, ${outOfOrder} out of order, ` +
      `${refused} refused (${storedAfterRefusal} of them stored all the same) ${refusal}`,
  ];
};

/** One row of the results table, with the values of each round. */
interface Comparison {
  figure: string;
  label: string;
  ours: readonly number[];
  against: ContenderName;
  theirs: readonly number[];
  /** Highest ratio of ours to theirs with which the row counts as reached. */
  gate?: number;
  /** A stricter limit, which is only shown. */
  aim?: number;
}

/** @param comparedBuilds the builds other than ours */
const createRows = (
  turns: ReadonlyMap<ContenderName, readonly Turn[]>,
  wantedFigures: ReadonlySet<string>,
  comparedBuilds: readonly ContenderName[],
): Row[] => {
  const getTurns = (name: ContenderName): readonly Turn[] => turns.get(name) ?? [];
  const getNode = (name: ContenderName): number[] => getTurns(name).map((turn) => turn.node);
  const getRedis = (name: ContenderName): number[] => getTurns(name).map((turn) => turn.redis);

  const node = { label: 'Node CPU per message, both replicas', ours: getNode(THAW) };
  const redis = { label: 'Redis CPU per message, outbox and worker', ours: getRedis(THAW) };
  const relayNode = getNode(MINIMAL_RELAY);
  const relayRedis = getRedis(MINIMAL_RELAY);
  const redisWithoutWorker = getRedis(THAW_WITHOUT_WORKER);
  const comparisons: Comparison[] = [
    { figure: 'P1', ...node, against: MINIMAL_RELAY, theirs: relayNode, gate: 1.6, aim: 1.25 },
    {
      figure: 'P1',
      label: 'the same',
      ours: node.ours,
      against: MINIMAL_RELAY_BY_CHAT,
      theirs: getNode(MINIMAL_RELAY_BY_CHAT),
    },
    {
      figure: 'P1',
      label: 'the same and the worker’s',
      ours: getTurns(THAW).map((turn) => turn.node + turn.worker),
      against: MINIMAL_RELAY,
      theirs: relayNode,
    },
    { figure: 'P2', ...node, against: SOCKET_IO, theirs: getNode(SOCKET_IO), gate: 1, aim: 0.75 },
    { figure: 'P5', ...redis, against: MINIMAL_RELAY, theirs: relayRedis, gate: 3, aim: 2 },
    ...comparedBuilds.flatMap((build): Comparison[] => [
      {
        // The Node CPU of a build belongs to P1 and to P2. It is shown once: for P2 only if P1 is not wanted.
        figure: wantedFigures.has('P1') ? 'P1' : 'P2',
        ...node,
        against: build,
        theirs: getNode(build),
        gate: regressionGate,
      },
      { figure: 'P5', ...redis, against: build, theirs: getRedis(build), gate: regressionGate },
    ]),
    {
      figure: 'P5',
      label: 'Redis CPU per message, outbox filled',
      ours: redisWithoutWorker,
      against: MINIMAL_RELAY,
      // The minimal relay did not run in these rounds, so its median over the other rounds is used for each of them.
      theirs: redisWithoutWorker.map(() => median(relayRedis)),
    },
  ];
  return comparisons
    .filter(({ figure, ours, theirs }) => wantedFigures.has(figure) && ours.length > 0 && theirs.length > 0)
    .map(toRow);
};

const toRow = ({ figure, label, ours, against, theirs, gate, aim }: Comparison): Row => {
  const ratio = computeRatios(ours, theirs);
  return {
    figure,
    label,
    ours: formatMicros(median(ours)),
    against,
    theirs: formatMicros(median(theirs)),
    ratio,
    gate: gate === undefined ? '' : `≤ ${gate}`,
    aim: aim === undefined ? '' : `≤ ${aim}`,
    isReached: gate === undefined ? undefined : ratio.median <= gate,
  };
};
