import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import type { RelayResult } from '../driver/relay-load';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios, computeSpread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { startBuilds, stopBuilds } from '../service';
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

/**
 * 'minimal relay', 'minimal relay by chat', 'socket.io', 'thaw', 'thaw, worker stopped', or a build of BENCH_SERVICE.
 */
type ContenderName = string;

/** CPU-µs per message of one turn. */
export interface Turn {
  node: number;
  worker: number;
  redis: number;
  load: RelayResult;
}

export interface Contender {
  name: ContenderName;
  group: number;
  servers: readonly ServerProcess[];
  stores: BenchStores;
  worker?: () => ServerProcess | undefined;
}

/**
 * The CPU time includes JIT compilation, which is nearly done after these seconds. A service spends almost all of its
 * life compiled, so the measurement starts there.
 */
export const WARM_UP_SECONDS = 8;
const PROFILE_SECONDS = 15;
/** The worker lags by some 300 ms, and what it still has to do belongs to the turn. */
const WORKER_SETTLE_MS = 700;

/**
 * Cost of relaying one chat message between two replicas:
 * P1: CPU µs of both replicas, compared with a minimal relay;
 * P2: the same, compared with Socket.IO;
 * P5: CPU µs of Redis, compared with the minimal relay, with and without a worker that empties the outboxes.
 */
export const measureRelay = async (
  driver: Driver,
  settings: Settings,
  wanted: ReadonlySet<string>,
): Promise<Outcome> => {
  const baselineStores = await BenchStores.open({ hasDatabase: false });
  const profiler = createProfiler(settings.profiles);
  const profile = profiler.prepare('relay');
  const builds = await startBuilds({ replicas: 2 }, profile);
  const baselines: ServerProcess[] = [];
  const contenders: Contender[] = [];

  const addContender = async (
    name: ContenderName,
    contender: ContenderKind,
    servers: readonly ServerProcess[],
    origins: readonly string[],
    rest: Pick<Contender, 'stores' | 'worker'>,
  ): Promise<void> => {
    const [first = '', second = ''] = origins;
    logProgress(`  opening ${name}`);
    const group = await driver.call('openRelay', {
      contender,
      origins: [first, second],
      pairs: settings.pairs,
    });
    contenders.push({ name, group, servers, ...rest });
  };
  /** Starts two processes of a baseline. */
  const addBaseline = async (
    name: ContenderName,
    contender: ContenderKind,
    script: string,
    env: Record<string, string> = {},
  ) => {
    const started = await Promise.all(
      [1, 2].map((number) =>
        ServerProcess.startBaseline({
          name: `${name} ${number}`,
          script: path.join(__dirname, '../baselines', script),
          logFile: path.join(baselineStores.home, `${contender}.log`),
          env: {
            ...process.env,
            NODE_ENV: 'production',
            REDIS_URL: baselineStores.redisUrl,
            REPLICA_ID: `${name}-${number}`,
            ...profile.env,
            ...env,
          },
          nodeFlags: profile.nodeFlags,
        }),
      ),
    );
    const servers = started.map(({ server }) => server);
    baselines.push(...servers);
    const origins = started.map(({ port }) => `http://127.0.0.1:${port}`);
    await addContender(name, contender, servers, origins, { stores: baselineStores });
  };

  try {
    await addBaseline('minimal relay', 'minimal relay', 'minimal-relay.js');
    await addBaseline('minimal relay by chat', 'minimal relay', 'minimal-relay.js', { CHANNELS: 'chat' });
    for (const { name, stores, service } of builds) {
      const replicas = service.replicas.map(({ server }) => server);
      await addContender(name, 'thaw', replicas, service.origins, { stores, worker: () => service.worker });
    }
    if (wanted.has('P2')) await addBaseline('socket.io', 'socket.io', 'socket-io-relay.js');

    const faults: string[] = [];
    for (const { name, group } of contenders) {
      const perSecond = settings.messagesPerSecond;
      const load = await driver.call('runRelay', {
        group,
        perSecond,
        seconds: Math.min(WARM_UP_SECONDS, settings.seconds * 2),
      });
      faults.push(...findFaults(`${name}, warming up`, load));
    }
    const turns = new Map<ContenderName, Turn[]>();
    const runTurn = async (contender: Contender, name = contender.name): Promise<void> => {
      const turn = await measureTurn(driver, contender, settings);
      turns.set(name, [...(turns.get(name) ?? []), turn]);
      faults.push(...findFaults(name, turn.load));
      const { node, worker, redis, load } = turn;
      logProgress(
        `  ${name}: node ${formatMicros(node)}, worker ${formatMicros(worker)}, redis ${formatMicros(redis)}, ` +
          `p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms`,
      );
    };
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`relay, round ${round} of ${settings.rounds}`);
      for (const contender of orderForRound(contenders, round)) await runTurn(contender);
    }
    const thaw = contenders.find(({ name }) => name === 'thaw');
    if (thaw && wanted.has('P5')) {
      // Separates what the history costs Redis from the append itself.
      await builds[0]?.service.stopWorker();
      for (let round = 1; round <= Math.min(3, settings.rounds); round += 1)
        await runTurn(thaw, 'thaw, worker stopped');
    }
    for (const { name, group, servers } of settings.profiles ? contenders : []) {
      profiler.toggle(servers);
      await driver.call('runRelay', {
        group,
        perSecond: settings.messagesPerSecond,
        seconds: PROFILE_SECONDS,
      });
      profiler.toggle(servers);
      await wait(PROFILE_WRITE_MS);
      if (name === 'thaw') profiler.logReport('relay');
    }
    const others = builds.slice(1).map(({ name }) => name);
    return { rows: createRows(turns, wanted, others), faults, raw: Object.fromEntries(turns) };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(baselines.map((server) => server.stop()));
    await stopBuilds(builds);
    await baselineStores.end();
  }
};

export const measureTurn = async (
  driver: Driver,
  contender: Contender,
  settings: Settings,
): Promise<Turn> => {
  const { group, servers, stores, worker } = contender;
  const readCpu = async (): Promise<readonly [number, number, number]> => [
    servers.reduce((sum, server) => sum + server.cpuMicros, 0),
    worker?.()?.cpuMicros ?? 0,
    await stores.readRedisCpuMicros(),
  ];
  const before = await readCpu();
  const load = await driver.call('runRelay', {
    group,
    perSecond: settings.messagesPerSecond,
    seconds: settings.seconds,
  });
  await wait(WORKER_SETTLE_MS);
  const after = await readCpu();
  const [node, workerMicros, redis] = [0, 1, 2].map(
    (index) => ((after[index] ?? 0) - (before[index] ?? 0)) / load.sent,
  );
  return { node: node ?? 0, worker: workerMicros ?? 0, redis: redis ?? 0, load };
};

export const findFaults = (name: string, load: RelayResult): string[] => {
  const { sent, acked, received, refused, storedAfterRefusal, refusal = '', outOfOrder } = load;
  return sent === acked && sent === received && outOfOrder === 0
    ? []
    : [
        `${name}: ${sent} sent, ${acked} acknowledged, ${received} received, ${outOfOrder} out of order, ` +
          `${refused} refused (${storedAfterRefusal} of them stored all the same) ${refusal}`,
      ];
};

/** One row of the table, with the values of each round. */
interface Comparison {
  figure: string;
  what: string;
  ours: readonly number[];
  against: ContenderName;
  theirs: readonly number[];
  /** Highest ratio that is accepted, and the one that is aimed at. */
  gate?: number;
  aim?: number;
}

const createRows = (
  turns: ReadonlyMap<ContenderName, readonly Turn[]>,
  wanted: ReadonlySet<string>,
  others: readonly ContenderName[],
): Row[] => {
  const getValues = (name: ContenderName, what: 'node' | 'worker' | 'redis'): number[] =>
    (turns.get(name) ?? []).map((turn) => turn[what]);
  const rows: Row[] = [];
  const addRow = ({ figure, what, ours, against, theirs, gate, aim }: Comparison): void => {
    if (!wanted.has(figure) || ours.length === 0 || theirs.length === 0) return;
    const ratio = computeRatios(ours, theirs);
    rows.push({
      figure,
      what,
      ours: formatMicros(median(ours)),
      against,
      theirs: formatMicros(median(theirs)),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim: aim === undefined ? '' : `≤ ${aim}`,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    });
  };

  const node = getValues('thaw', 'node');
  const worker = getValues('thaw', 'worker');
  const relayNode = getValues('minimal relay', 'node');
  const perMessage = { what: 'Node CPU per message, both replicas', ours: node };
  addRow({ figure: 'P1', ...perMessage, against: 'minimal relay', theirs: relayNode, gate: 1.6, aim: 1.25 });
  addRow({
    figure: 'P1',
    what: 'the same',
    ours: node,
    against: 'minimal relay by chat',
    theirs: getValues('minimal relay by chat', 'node'),
  });
  addRow({
    figure: 'P1',
    what: 'the same and the worker’s',
    ours: node.map((micros, round) => micros + (worker[round] ?? 0)),
    against: 'minimal relay',
    theirs: relayNode,
  });
  const socketIoNode = getValues('socket.io', 'node');
  addRow({ figure: 'P2', ...perMessage, against: 'socket.io', theirs: socketIoNode, gate: 1, aim: 0.75 });

  const relayRedis = getValues('minimal relay', 'redis');
  const redisPerMessage = {
    what: 'Redis CPU per message, outbox and worker',
    ours: getValues('thaw', 'redis'),
  };
  addRow({ figure: 'P5', ...redisPerMessage, against: 'minimal relay', theirs: relayRedis, gate: 3, aim: 2 });
  for (const other of others) {
    addRow({
      figure: wanted.has('P1') ? 'P1' : 'P2',
      ...perMessage,
      against: other,
      theirs: getValues(other, 'node'),
      gate: regressionGate,
    });
    addRow({
      figure: 'P5',
      ...redisPerMessage,
      against: other,
      theirs: getValues(other, 'redis'),
      gate: regressionGate,
    });
  }
  const withoutWorker = getValues('thaw, worker stopped', 'redis');
  addRow({
    figure: 'P5',
    what: 'Redis CPU per message, outbox filled',
    ours: withoutWorker,
    against: 'minimal relay',
    // The minimal relay was not run in these rounds: its median stands for each of them.
    theirs: withoutWorker.map(() => computeSpread(relayRedis).median),
  });
  return rows;
};
