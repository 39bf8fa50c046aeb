import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import type { RelayResult } from '../driver/relay-load';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
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
 * 'minimal relay', 'minimal relay by chat', 'socket.io', 'thaw' (our build), 'thaw, worker stopped', or the name of
 * another build, to which the variable BENCH_SERVICE points.
 */
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
  const baselines: ServerProcess[] = [];
  const contenders: Contender[] = [];

  const addContender = async (
    name: ContenderName,
    kind: ContenderKind,
    servers: readonly ServerProcess[],
    origins: readonly string[],
    storesAndWorker: Pick<Contender, 'stores' | 'worker'>,
  ): Promise<void> => {
    const [first = '', second = ''] = origins;
    logProgress(`  opening ${name}`);
    const group = await driver.call('openRelay', {
      kind,
      origins: [first, second],
      pairs: settings.pairs,
    });
    contenders.push({ name, group, servers, ...storesAndWorker });
  };
  /** Starts two processes of a baseline. */
  const addBaseline = async (
    name: ContenderName,
    kind: ContenderKind,
    script: string,
    env: Record<string, string> = {},
  ) => {
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
    baselines.push(...servers);
    const origins = started.map(({ port }) => `http://127.0.0.1:${port}`);
    await addContender(name, kind, servers, origins, { stores: baselineStores });
  };

  try {
    await addBaseline('minimal relay', 'minimal relay', 'minimal-relay.js');
    // This relay publishes a message to all sockets of its chat, as users with several tabs need. The one above
    // publishes it to the receiver only.
    await addBaseline('minimal relay by chat', 'minimal relay', 'minimal-relay.js', { CHANNELS: 'chat' });
    for (const { name, stores, service } of builds) {
      const replicas = service.replicas.map(({ server }) => server);
      await addContender(name, 'thaw', replicas, service.origins, { stores, worker: () => service.worker });
    }
    if (wantedFigures.has('P2')) await addBaseline('socket.io', 'socket.io', 'socket-io-relay.js');

    const faults: string[] = [];
    for (const { name, group } of contenders) {
      const perSecond = settings.messagesPerSecond;
      // A trial run, whose turns are very short, warms up only for the length of two turns.
      const result = await driver.call('runRelay', {
        group,
        perSecond,
        seconds: Math.min(WARM_UP_SECONDS, settings.seconds * 2),
      });
      faults.push(...findFaults(`${name}, warming up`, result));
    }
    const turns = new Map<ContenderName, Turn[]>();
    const runTurn = async (contender: Contender, name = contender.name): Promise<void> => {
      const turn = await measureTurn(driver, contender, settings);
      turns.set(name, [...(turns.get(name) ?? []), turn]);
      faults.push(...findFaults(name, turn.result));
      const { node, worker, redis, result } = turn;
      logProgress(
        `  ${name}: node ${formatMicros(node)}, worker ${formatMicros(worker)}, redis ${formatMicros(redis)}, ` +
          `p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms`,
      );
    };
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`relay, round ${round} of ${settings.rounds}`);
      for (const contender of orderForRound(contenders, round)) await runTurn(contender);
    }
    const [ourBuild, ...otherBuilds] = builds;
    const thaw = contenders.find(({ name }) => name === 'thaw');
    if (thaw && wantedFigures.has('P5')) {
      // Without a worker, Redis only appends to the chats and fills the outboxes.
      await ourBuild?.service.stopWorker();
      for (let round = 1; round <= Math.min(MAX_ROUNDS_WITHOUT_WORKER, settings.rounds); round += 1)
        await runTurn(thaw, 'thaw, worker stopped');
    }
    const profiledContenders = settings.profileFolder ? contenders : [];
    for (const { name, group, servers } of profiledContenders) {
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
    const comparedBuilds = otherBuilds.map(({ name }) => name);
    return {
      rows: createRows(turns, wantedFigures, comparedBuilds),
      faults,
      raw: Object.fromEntries(turns),
    };
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
  return sent === acked && sent === received && outOfOrder === 0
    ? []
    : [
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

const createRows = (
  turns: ReadonlyMap<ContenderName, readonly Turn[]>,
  wantedFigures: ReadonlySet<string>,
  comparedBuilds: readonly ContenderName[],
): Row[] => {
  const getValues = (name: ContenderName, kind: CpuKind): number[] =>
    (turns.get(name) ?? []).map((turn) => turn[kind]);
  const rows: Row[] = [];
  const addRow = ({ figure, label, ours, against, theirs, gate, aim }: Comparison): void => {
    if (!wantedFigures.has(figure) || ours.length === 0 || theirs.length === 0) return;
    const ratio = computeRatios(ours, theirs);
    rows.push({
      figure,
      label,
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
  const perMessage = { label: 'Node CPU per message, both replicas', ours: node };
  addRow({ figure: 'P1', ...perMessage, against: 'minimal relay', theirs: relayNode, gate: 1.6, aim: 1.25 });
  addRow({
    figure: 'P1',
    label: 'the same',
    ours: node,
    against: 'minimal relay by chat',
    theirs: getValues('minimal relay by chat', 'node'),
  });
  addRow({
    figure: 'P1',
    label: 'the same and the worker’s',
    ours: node.map((micros, round) => micros + (worker[round] ?? 0)),
    against: 'minimal relay',
    theirs: relayNode,
  });
  const socketIoNode = getValues('socket.io', 'node');
  addRow({ figure: 'P2', ...perMessage, against: 'socket.io', theirs: socketIoNode, gate: 1, aim: 0.75 });

  const relayRedis = getValues('minimal relay', 'redis');
  const redisPerMessage = {
    label: 'Redis CPU per message, outbox and worker',
    ours: getValues('thaw', 'redis'),
  };
  addRow({ figure: 'P5', ...redisPerMessage, against: 'minimal relay', theirs: relayRedis, gate: 3, aim: 2 });
  for (const build of comparedBuilds) {
    addRow({
      // The Node CPU of a build belongs to P1 and to P2. It is shown once: for P2 only if P1 is not wanted.
      figure: wantedFigures.has('P1') ? 'P1' : 'P2',
      ...perMessage,
      against: build,
      theirs: getValues(build, 'node'),
      gate: regressionGate,
    });
    addRow({
      figure: 'P5',
      ...redisPerMessage,
      against: build,
      theirs: getValues(build, 'redis'),
      gate: regressionGate,
    });
  }
  const withoutWorker = getValues('thaw, worker stopped', 'redis');
  addRow({
    figure: 'P5',
    label: 'Redis CPU per message, outbox filled',
    ours: withoutWorker,
    against: 'minimal relay',
    // The minimal relay did not run in these rounds, so its median over the other rounds is used for each of them.
    theirs: withoutWorker.map(() => median(relayRedis)),
  });
  return rows;
};
