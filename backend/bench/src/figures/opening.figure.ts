import path from 'node:path';
import { prepareProductEnvironment } from '../../../../deploy/local/product-environment.mjs';
import type { OpeningResult } from '../driver/visitor-group';
import type { Driver } from '../driver/driver-process';
import { PostgresMeter, STATISTICS_LAG_MS } from '../measure/postgres';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import type { BenchStores } from '../measure/stores';
import { startBuilds, stopBuilds } from '../service';
import {
  inRoundOrder,
  formatMicros,
  type Outcome,
  type Row,
  logProgress,
  type Settings,
  wait,
} from './figure';

/** CPU-µs per socket of one turn. */
interface Turn {
  node: number;
  postgres: number;
  redis: number;
}

interface Entrant {
  name: string;
  kind: 'thaw' | 'socket.io';
  group: number;
  origin: string;
  server: ServerProcess;
  stores: BenchStores;
  postgres: PostgresMeter;
}

const CONCURRENCY = 64;
/** Presence is recorded and announced after the answer, but is part of the turn. */
const SETTLE_MS = 300;
/** After this time without a socket users are offline, so their next socket costs the same as the first. */
const OFFLINE_AFTER_MS = 4_000;
const PEER = 'socket.io, same look-up';
/** Gate against a build of BENCH_SERVICE from before the opening of sockets was made cheaper. */
const GATE_TO_EARLIER = 0.65;
/** One transaction per socket, plus the checks that sockets share. */
const MAX_TRANSACTIONS = 1.2;

/** P13: cost of opening and authenticating a socket. */
export const measureOpening = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const profiler = createProfiler(settings.profiles);
  const builds = await startBuilds({ replicas: 1, hasWorker: false }, profiler.prepare('opening'));
  const peers: ServerProcess[] = [];
  const entrants: Entrant[] = [];
  try {
    for (const { name, stores, service } of builds) {
      const [replica] = service.replicas;
      if (!replica) throw new Error('No replica');
      logProgress(`  signing ${settings.openedSockets} visitors up at ${name}`);
      const group = await driver.call('signUp', { origin: replica.origin, visitors: settings.openedSockets });
      const postgres = await PostgresMeter.open(stores.databaseUrl);
      entrants.push({ name, kind: 'thaw', group, ...replica, stores, postgres });
      if (name !== builds[0]?.name) continue;
      const { server, port } = await startPeer(stores);
      peers.push(server);
      const origin = `http://127.0.0.1:${port}`;
      entrants.push({ name: PEER, kind: 'socket.io', group, origin, server, stores, postgres });
    }
    const faults: string[] = [];
    const turns = new Map<string, Turn[]>();
    const runTurn = async (entrant: Entrant): Promise<Turn> => {
      const { turn, load } = await measure(driver, entrant);
      if (load.opened !== settings.openedSockets)
        faults.push(
          `${entrant.name}: ${load.opened} of ${settings.openedSockets} opened ${load.refusal ?? ''}`,
        );
      return turn;
    };
    for (const entrant of entrants) await runTurn(entrant);
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`opening, round ${round} of ${settings.rounds}`);
      for (const entrant of inRoundOrder(entrants, round)) {
        const turn = await runTurn(entrant);
        turns.set(entrant.name, [...(turns.get(entrant.name) ?? []), turn]);
        const { node, postgres, redis } = turn;
        logProgress(
          `  ${entrant.name}: ${formatMicros(node)}, postgres ${formatMicros(postgres)}, redis ${formatMicros(redis)}`,
        );
      }
    }
    const [ours] = entrants;
    if (!ours) throw new Error('No build');
    if (settings.profiles) {
      profiler.toggle([ours.server]);
      await runTurn(ours);
      profiler.toggle([ours.server]);
      await wait(PROFILE_WRITE_MS);
      profiler.logReport('opening');
    }
    const transactions = await countTransactions(ours, () => runTurn(ours), settings.openedSockets);
    const others = builds.slice(1).map(({ name }) => name);
    return {
      rows: createRows(turns, others, transactions),
      faults,
      raw: { ...Object.fromEntries(turns), transactions },
    };
  } finally {
    for (const { group, postgres } of entrants) {
      await driver.call('closeGroup', { group }).catch(() => null);
      await postgres.end().catch(() => undefined); // two entrants share one meter, and the second call fails
    }
    await Promise.all(peers.map((server) => server.stop()));
    await stopBuilds(builds);
  }
};

const startPeer = (stores: BenchStores): Promise<{ server: ServerProcess; port: number }> =>
  ServerProcess.startPeer({
    name: PEER,
    script: path.join(__dirname, '../peers/socket-io-sessions.js'),
    logFile: path.join(stores.home, 'peers.log'),
    env: prepareProductEnvironment({ home: stores.home, stores }),
  });

const measure = async (
  driver: Driver,
  { kind, group, origin, server, stores, postgres }: Entrant,
): Promise<{ turn: Turn; load: OpeningResult }> => {
  const read = async (): Promise<Turn> => ({
    node: server.cpuMicros,
    postgres: postgres.cpuMicros,
    redis: await stores.redisCpuMicros(),
  });
  const before = await read();
  const load = await driver.call('openSockets', { group, kind, origin, concurrency: CONCURRENCY });
  await wait(SETTLE_MS);
  const after = await read();
  await driver.call('closeSockets', { group });
  await wait(OFFLINE_AFTER_MS);
  const perSocket = (what: keyof Turn): number => (after[what] - before[what]) / load.opened;
  return {
    turn: { node: perSocket('node'), postgres: perSocket('postgres'), redis: perSocket('redis') },
    load,
  };
};

/** PostgreSQL's own count, minus what it counts at rest in the same time. @returns transactions per socket. */
const countTransactions = async (
  { postgres }: Entrant,
  openSockets: () => Promise<unknown>,
  sockets: number,
): Promise<number> => {
  await wait(STATISTICS_LAG_MS);
  const before = await postgres.transactions();
  const startedAt = performance.now();
  await openSockets();
  await wait(STATISTICS_LAG_MS);
  const elapsedMs = performance.now() - startedAt;
  const counted = (await postgres.transactions()) - before;
  await wait(STATISTICS_LAG_MS);
  const atRest = (await postgres.transactions()) - before - counted;
  return (counted - (atRest * elapsedMs) / STATISTICS_LAG_MS) / sockets;
};

const createRows = (
  turns: ReadonlyMap<string, readonly Turn[]>,
  others: readonly string[],
  transactions: number,
): Row[] => {
  const row = (what: keyof Turn, label: string, against: string, gate?: number, aim = ''): Row => {
    const valuesOf = (name: string): number[] => (turns.get(name) ?? []).map((turn) => turn[what]);
    const ratio = computeRatios(valuesOf('thaw'), valuesOf(against));
    return {
      figure: 'P13',
      what: label,
      ours: formatMicros(median(valuesOf('thaw'))),
      against,
      theirs: formatMicros(median(valuesOf(against))),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const opening = `api CPU to open and authenticate a socket, ${CONCURRENCY} at a time`;
  return [
    row('node', opening, PEER, 1.25, '≤ 0.8'),
    ...others.map((other) => row('node', opening, other, GATE_TO_EARLIER)),
    row('postgres', 'PostgreSQL CPU of it', PEER),
    ...others.map((other) => row('postgres', 'PostgreSQL CPU of it', other)),
    ...others.map((other) => row('redis', 'Redis CPU of it', other)),
    {
      figure: 'P13',
      what: 'PostgreSQL transactions for it',
      ours: transactions.toFixed(2),
      against: '',
      theirs: '',
      gate: `≤ ${MAX_TRANSACTIONS}`,
      aim: '',
      isReached: transactions <= MAX_TRANSACTIONS,
    },
  ];
};
