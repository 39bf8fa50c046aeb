import path from 'node:path';
import { prepareProductEnvironment } from '../../../../deploy/local/product-environment.mjs';
import type { ArrivalResult } from '../driver/crowd';
import type { Driver } from '../driver/driver-process';
import { PostgresMeter, STATISTICS_LAG_MS } from '../measure/postgres';
import { profiling } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, ratios } from '../measure/statistics';
import type { BenchStores } from '../measure/stores';
import { startBuilds, stopBuilds } from '../service';
import { inTurn, micros, type Outcome, type Row, say, type Settings, wait } from './figure';

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

const AT_ONCE = 64;
/** Presence is recorded and announced after the answer, but is part of the turn. */
const SETTLE_MS = 300;
/** After this time the users are offline, so their next arrival costs the same as the first. */
const OFFLINE_AFTER_MS = 4_000;
const PEER = 'socket.io, same look-up';
const GATE_TO_EARLIER = 0.65;
/** One transaction per socket, plus the checks that sockets share. */
const MOST_TRANSACTIONS = 1.2;

/** P13: cost of opening and authenticating a socket. */
export const measureOpening = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const profiler = profiling(settings.profiles);
  const builds = await startBuilds({ replicas: 1, hasWorker: false }, profiler.options('opening'));
  const peers: ServerProcess[] = [];
  const entrants: Entrant[] = [];
  try {
    for (const { name, stores, service } of builds) {
      const [replica] = service.replicas;
      if (!replica) throw new Error('No replica');
      say(`  signing ${settings.arrivals} visitors up at ${name}`);
      const group = await driver.call('signUp', { origin: replica.origin, visitors: settings.arrivals });
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
    const play = async (entrant: Entrant): Promise<Turn> => {
      const { turn, load } = await measure(driver, entrant);
      if (load.opened !== settings.arrivals)
        faults.push(`${entrant.name}: ${load.opened} of ${settings.arrivals} opened ${load.refusal ?? ''}`);
      return turn;
    };
    for (const entrant of entrants) await play(entrant);
    for (let round = 1; round <= settings.rounds; round += 1) {
      say(`opening, round ${round} of ${settings.rounds}`);
      for (const entrant of inTurn(entrants, round)) {
        const turn = await play(entrant);
        turns.set(entrant.name, [...(turns.get(entrant.name) ?? []), turn]);
        const { node, postgres, redis } = turn;
        say(`  ${entrant.name}: ${micros(node)}, postgres ${micros(postgres)}, redis ${micros(redis)}`);
      }
    }
    const [ours] = entrants;
    if (!ours) throw new Error('No build');
    if (settings.profiles) {
      profiler.toggle([ours.server]);
      await play(ours);
      profiler.toggle([ours.server]);
      await wait(1_000);
      profiler.report('opening');
    }
    const transactions = await countTransactions(ours, () => play(ours), settings.arrivals);
    const others = builds.slice(1).map(({ name }) => name);
    return {
      rows: rowsOf(turns, others, transactions),
      faults,
      raw: { ...Object.fromEntries(turns), transactions },
    };
  } finally {
    for (const { group, postgres } of entrants) {
      await driver.call('close', { group }).catch(() => null);
      await postgres.end().catch(() => undefined); // two entrants may share it
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
): Promise<{ turn: Turn; load: ArrivalResult }> => {
  const read = async (): Promise<Turn> => ({
    node: server.cpuMicros,
    postgres: postgres.cpuMicros,
    redis: await stores.redisCpuMicros(),
  });
  const before = await read();
  const load = await driver.call('arrive', { group, kind, origin, atOnce: AT_ONCE });
  await wait(SETTLE_MS);
  const after = await read();
  await driver.call('leave', { group });
  await wait(OFFLINE_AFTER_MS);
  const per = (what: keyof Turn): number => (after[what] - before[what]) / load.opened;
  return { turn: { node: per('node'), postgres: per('postgres'), redis: per('redis') }, load };
};

/** PostgreSQL's own count, minus what it counts at rest in the same time. @returns transactions per socket. */
const countTransactions = async (
  { postgres }: Entrant,
  arrive: () => Promise<unknown>,
  sockets: number,
): Promise<number> => {
  await wait(STATISTICS_LAG_MS);
  const before = await postgres.transactions();
  const startedAt = performance.now();
  await arrive();
  await wait(STATISTICS_LAG_MS);
  const elapsedMs = performance.now() - startedAt;
  const counted = (await postgres.transactions()) - before;
  await wait(STATISTICS_LAG_MS);
  const atRest = (await postgres.transactions()) - before - counted;
  return (counted - (atRest * elapsedMs) / STATISTICS_LAG_MS) / sockets;
};

const rowsOf = (
  turns: ReadonlyMap<string, readonly Turn[]>,
  others: readonly string[],
  transactions: number,
): Row[] => {
  const row = (what: keyof Turn, label: string, against: string, gate?: number, aim = ''): Row => {
    const of = (name: string): number[] => (turns.get(name) ?? []).map((turn) => turn[what]);
    const ratio = ratios(of('thaw'), of(against));
    return {
      figure: 'P13',
      what: label,
      ours: micros(median(of('thaw'))),
      against,
      theirs: micros(median(of(against))),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const opening = `api CPU to open and authenticate a socket, ${AT_ONCE} at a time`;
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
      gate: `≤ ${MOST_TRANSACTIONS}`,
      aim: '',
      isReached: transactions <= MOST_TRANSACTIONS,
    },
  ];
};
