import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { Contender } from '../driver/pairs';
import type { RelayResult } from '../driver/relay-load';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios, computeSpread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { startBuilds, stopBuilds } from '../service';
import {
  inRoundOrder,
  formatMicros,
  type Outcome,
  regressionGate,
  type Row,
  logProgress,
  type Settings,
  wait,
} from './figure';

/** 'floor', 'floor by session', 'socket.io', 'thaw', 'thaw, worker stopped', or a build of BENCH_SERVICE. */
type Name = string;

/** CPU-µs per message of one turn. */
interface Turn {
  node: number;
  worker: number;
  redis: number;
  load: RelayResult;
}

interface Entrant {
  name: Name;
  group: number;
  servers: readonly ServerProcess[];
  stores: BenchStores;
  worker?: () => ServerProcess | undefined;
}

/**
 * The CPU time includes JIT compilation, which is nearly done after these seconds. A service spends almost all of its life
 * compiled, so the measurement starts there.
 */
const WARM_UP_SECONDS = 8;
const PROFILE_SECONDS = 15;
/** The worker lags by some 300 ms, and what it still has to do belongs to the turn. */
const SETTLE_MS = 700;

/** P1, P2 and P5: cost of relaying a message between two replicas. */
export const measureRelay = async (
  driver: Driver,
  settings: Settings,
  wanted: ReadonlySet<string>,
): Promise<Outcome> => {
  const peerStores = await BenchStores.open({ hasDatabase: false });
  const profiler = createProfiler(settings.profiles);
  const profile = profiler.prepare('relay');
  const builds = await startBuilds({ replicas: 2 }, profile);
  const peers: ServerProcess[] = [];
  const entrants: Entrant[] = [];

  const addEntrant = async (
    name: Name,
    contender: Contender,
    servers: readonly ServerProcess[],
    origins: readonly string[],
    rest: Pick<Entrant, 'stores' | 'worker'>,
  ): Promise<void> => {
    const [first = '', second = ''] = origins;
    logProgress(`  opening ${name}`);
    const group = await driver.call('openRelay', {
      contender,
      origins: [first, second],
      pairs: settings.pairs,
    });
    entrants.push({ name, group, servers, ...rest });
  };
  /** Starts two processes of a peer. */
  const addPeer = async (
    name: Name,
    contender: Contender,
    script: string,
    env: Record<string, string> = {},
  ) => {
    const started = await Promise.all(
      [1, 2].map((number) =>
        ServerProcess.startPeer({
          name: `${name} ${number}`,
          script: path.join(__dirname, '../peers', script),
          logFile: path.join(peerStores.home, `${contender}.log`),
          env: {
            ...process.env,
            NODE_ENV: 'production',
            REDIS_URL: peerStores.redisUrl,
            REPLICA_ID: `${name}-${number}`,
            ...profile.env,
            ...env,
          },
          nodeFlags: profile.nodeFlags,
        }),
      ),
    );
    const servers = started.map(({ server }) => server);
    peers.push(...servers);
    const origins = started.map(({ port }) => `http://127.0.0.1:${port}`);
    await addEntrant(name, contender, servers, origins, { stores: peerStores });
  };

  try {
    await addPeer('floor', 'floor', 'floor-relay.js');
    await addPeer('floor by session', 'floor', 'floor-relay.js', { CHANNELS: 'session' });
    for (const { name, stores, service } of builds) {
      const replicas = service.replicas.map(({ server }) => server);
      await addEntrant(name, 'thaw', replicas, service.origins, { stores, worker: () => service.worker });
    }
    if (wanted.has('P2')) await addPeer('socket.io', 'socket.io', 'socket-io-relay.js');

    const faults: string[] = [];
    for (const { name, group } of entrants) {
      const perSecond = settings.messagesPerSecond;
      const load = await driver.call('runRelay', {
        group,
        perSecond,
        seconds: Math.min(WARM_UP_SECONDS, settings.seconds * 2),
      });
      faults.push(...findFaults(`${name}, warming up`, load));
    }
    const turns = new Map<Name, Turn[]>();
    const runTurn = async (entrant: Entrant, name = entrant.name): Promise<void> => {
      const turn = await measure(driver, entrant, settings);
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
      for (const entrant of inRoundOrder(entrants, round)) await runTurn(entrant);
    }
    const thaw = entrants.find(({ name }) => name === 'thaw');
    if (thaw && wanted.has('P5')) {
      // Separates what the history costs Redis from the append itself.
      await builds[0]?.service.stopWorker();
      for (let round = 1; round <= Math.min(3, settings.rounds); round += 1)
        await runTurn(thaw, 'thaw, worker stopped');
    }
    for (const { name, group, servers } of settings.profiles ? entrants : []) {
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
    for (const { group } of entrants) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(peers.map((server) => server.stop()));
    await stopBuilds(builds);
    await peerStores.end();
  }
};

const measure = async (driver: Driver, entrant: Entrant, settings: Settings): Promise<Turn> => {
  const { group, servers, stores, worker } = entrant;
  const read = async (): Promise<readonly [number, number, number]> => [
    servers.reduce((sum, server) => sum + server.cpuMicros, 0),
    worker?.()?.cpuMicros ?? 0,
    await stores.redisCpuMicros(),
  ];
  const before = await read();
  const load = await driver.call('runRelay', {
    group,
    perSecond: settings.messagesPerSecond,
    seconds: settings.seconds,
  });
  await wait(SETTLE_MS);
  const after = await read();
  const [node, workerMicros, redis] = [0, 1, 2].map(
    (index) => ((after[index] ?? 0) - (before[index] ?? 0)) / load.sent,
  );
  return { node: node ?? 0, worker: workerMicros ?? 0, redis: redis ?? 0, load };
};

const findFaults = (name: string, load: RelayResult): string[] => {
  const { sent, acked, received, refused, storedAfterRefusal, refusal = '', disorders } = load;
  return sent === acked && sent === received && disorders === 0
    ? []
    : [
        `${name}: ${sent} sent, ${acked} acknowledged, ${received} received, ${disorders} out of order, ` +
          `${refused} refused (${storedAfterRefusal} of them stored all the same) ${refusal}`,
      ];
};

const createRows = (
  turns: ReadonlyMap<Name, readonly Turn[]>,
  wanted: ReadonlySet<string>,
  others: readonly Name[],
): Row[] => {
  const valuesOf = (name: Name, what: 'node' | 'worker' | 'redis'): number[] =>
    (turns.get(name) ?? []).map((turn) => turn[what]);
  const rows: Row[] = [];
  const add = (
    figure: string,
    what: string,
    ours: readonly number[],
    against: Name,
    theirs: readonly number[],
    gate: number | undefined,
    aim: number | undefined,
  ): void => {
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
  const node = valuesOf('thaw', 'node');
  const withWorker = node.map((micro, round) => micro + (valuesOf('thaw', 'worker')[round] ?? 0));
  add('P1', 'Node CPU per message, both replicas', node, 'floor', valuesOf('floor', 'node'), 1.6, 1.25);
  add('P1', 'the same', node, 'floor by session', valuesOf('floor by session', 'node'), undefined, undefined);
  add(
    'P1',
    'the same and the worker’s',
    withWorker,
    'floor',
    valuesOf('floor', 'node'),
    undefined,
    undefined,
  );
  add('P2', 'Node CPU per message, both replicas', node, 'socket.io', valuesOf('socket.io', 'node'), 1, 0.75);
  add(
    'P5',
    'Redis CPU per message, outbox and worker',
    valuesOf('thaw', 'redis'),
    'floor',
    valuesOf('floor', 'redis'),
    3,
    2,
  );
  for (const other of others) {
    const figure = wanted.has('P1') ? 'P1' : 'P2';
    const gate = regressionGate;
    add(figure, 'Node CPU per message, both replicas', node, other, valuesOf(other, 'node'), gate, undefined);
    const redis = valuesOf('thaw', 'redis');
    add(
      'P5',
      'Redis CPU per message, outbox and worker',
      redis,
      other,
      valuesOf(other, 'redis'),
      gate,
      undefined,
    );
  }
  add(
    'P5',
    'Redis CPU per message, outbox filled',
    valuesOf('thaw, worker stopped', 'redis'),
    'floor',
    // The floor was not run in these rounds: its median stands for each of them.
    valuesOf('thaw, worker stopped', 'redis').map(() => computeSpread(valuesOf('floor', 'redis')).median),
    undefined,
    undefined,
  );
  return rows;
};
