import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { StormResult } from '../driver/storm';
import { startProxy } from '../measure/proxy';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { findFreePorts } from '../../../../deploy/local/processes/ports.mjs';
import { type Replica, Service } from '../service';
import { orderForRound, type Outcome, type Row, logProgress, type Settings, wait } from './figure';

const REPLICAS = 3;
const MAX_ROUNDS = 3;
/** Gate of the ratio between the reconnect times of Thaw and of Socket.IO. */
const MAX_RATIO = 1.5;
/** The users chat for this long before the replica is killed. */
const CHAT_MS = 2_000;

/** The time that nginx has to stop its child processes; then it is killed. */
const PROXY_STOP_GRACE_MS = 5_000;

/** The replicas of Thaw or of the baseline. The first one holds all sockets, and is killed in each turn. */
type Cluster = Pick<Service, 'replicas' | 'restart'>;

/** Thaw or the baseline to compare it with. */
interface Contender {
  kind: 'thaw' | 'socket.io';
  cluster: Cluster;
  /** Origin of the nginx in front of the replicas. */
  proxyOrigin: string;
  /** Number of the group of clients, in the driver, that are connected to this contender. */
  group: number;
}

/** The results of each contender, one for each round. */
type Results = Record<Contender['kind'], StormResult[]>;

/**
 * P16: a reconnect storm. Measures the ms until all sockets of a killed replica have reconnected to the other two
 * through nginx, and counts refused connections and acknowledged messages that were lost. Compared with Socket.IO,
 * whose clients join their rooms again and resume nothing.
 */
export const measureStorm = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: REPLICAS, env: { TRUST_PROXY: '1' } });
  const baseline = await SocketIoReplicas.start(stores);
  const proxies: ServerProcess[] = [];
  const contenders: Contender[] = [];
  try {
    for (const [kind, cluster] of [
      ['thaw', service],
      ['socket.io', baseline],
    ] as const) {
      const ports = cluster.replicas.map(({ port }) => port);
      const { server, origin: proxyOrigin } = await startProxy(stores.home, ports);
      proxies.push(server);
      logProgress(`  opening ${settings.openedSockets} sockets in chats, ${kind}`);
      // Not through the proxy, which would distribute the sockets among the replicas.
      const { origin } = getFirstReplica(cluster);
      const group = await driver.call('openStorm', { kind, origin, pairs: settings.openedSockets / 2 });
      contenders.push({ kind, cluster, proxyOrigin, group });
    }
    const { results, faults } = await runRounds(driver, contenders, settings);
    return { rows: createRows(results), faults, raw: results };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all([
      service.stop(),
      baseline.stop(),
      ...proxies.map((server) => server.stop(PROXY_STOP_GRACE_MS)),
    ]);
    await stores.end();
  }
};

/** In each round, every contender has one turn. */
const runRounds = async (
  driver: Driver,
  contenders: readonly Contender[],
  settings: Settings,
): Promise<{ results: Results; faults: string[] }> => {
  const results: Results = { thaw: [], 'socket.io': [] };
  const faults: string[] = [];
  const rounds = Math.min(MAX_ROUNDS, settings.rounds);
  for (let round = 1; round <= rounds; round += 1) {
    logProgress(`storm, round ${round} of ${rounds}`);
    for (const contender of orderForRound(contenders, round)) {
      const { kind, cluster, group } = contender;
      // In the first round all sockets are still where `openStorm` has opened them.
      if (round > 1) await driver.call('moveToReplica', { group, origin: getFirstReplica(cluster).origin });
      const result = await runTurn(driver, contender);
      results[kind].push(result);
      faults.push(...describeFaults(kind, result));
      const { lastReconnectedMs, lost } = result;
      const refusals = JSON.stringify(result.refusals);
      logProgress(
        `  ${kind}: the last after ${lastReconnectedMs.toFixed(0)} ms, refused ${refusals}, lost ${lost}`,
      );
    }
  }
  return { results, faults };
};

/** Kills the first replica while the users chat, and restarts it once the sockets have left it for the others. */
const runTurn = async (driver: Driver, { cluster, group, proxyOrigin }: Contender): Promise<StormResult> => {
  const replica = getFirstReplica(cluster);
  const pendingResult = driver.call('runStorm', { group, proxy: proxyOrigin });
  await wait(CHAT_MS);
  // Without a grace period, `stop` sends SIGKILL.
  await replica.server.stop();
  const result = await pendingResult;
  await cluster.restart(replica);
  return result;
};

const describeFaults = (
  kind: Contender['kind'],
  { reconnected, sockets, lost, acked }: StormResult,
): string[] => {
  const faults: string[] = [];
  if (reconnected !== sockets) faults.push(`${kind}: ${reconnected} of ${sockets} reconnected`);
  if (lost > 0) faults.push(`${kind}: ${lost} of ${acked} acknowledged messages were lost`);
  return faults;
};

const getFirstReplica = (cluster: Cluster): Replica => {
  const [first] = cluster.replicas;
  if (!first) throw new Error('No replica');
  return first;
};

/** Three Socket.IO processes with the Redis adapter. */
class SocketIoReplicas implements Cluster {
  readonly replicas: Replica[] = [];

  private constructor(private readonly stores: BenchStores) {}

  static async start(stores: BenchStores): Promise<SocketIoReplicas> {
    const baseline = new SocketIoReplicas(stores);
    for (const port of await findFreePorts(REPLICAS))
      baseline.replicas.push(await baseline.startReplica(port));
    return baseline;
  }

  /** Restarts a replica that has ended, on the same port. */
  async restart(replica: Replica): Promise<void> {
    this.replicas[this.replicas.indexOf(replica)] = await this.startReplica(replica.port);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(({ server }) => server.stop()));
  }

  private async startReplica(port: number): Promise<Replica> {
    const { server } = await ServerProcess.startBaseline({
      name: 'socket.io',
      script: path.join(__dirname, '../baselines/socket-io-relay.js'),
      logFile: path.join(this.stores.home, 'baselines.log'),
      env: { ...process.env, NODE_ENV: 'production', REDIS_URL: this.stores.redisUrl, PORT: String(port) },
    });
    return { server, port, origin: `http://127.0.0.1:${port}` };
  }
}

const createRows = ({ thaw: ours, 'socket.io': theirs }: Results): Row[] => {
  const against = 'socket.io, nothing to resume';
  const getReconnectedMs = (results: readonly StormResult[]): number[] =>
    results.map((result) => result.lastReconnectedMs);
  const formatMedian = (results: readonly StormResult[]): string =>
    `${median(getReconnectedMs(results)).toFixed(0)} ms`;
  const countRefused = (results: readonly StormResult[]): number =>
    results.flatMap(({ refusals }) => Object.values(refusals)).reduce((sum, count) => sum + count, 0);
  const ratio = computeRatios(getReconnectedMs(ours), getReconnectedMs(theirs));
  // Each result counts the messages since the sockets were opened, so the last one has the totals.
  const { lost, acked } = ours.at(-1) ?? { lost: 0, acked: 0 };
  const sockets = (ours[0]?.sockets ?? 0).toLocaleString('en');
  const labelStart = `${sockets} sockets in chats lose their replica: `;
  return [
    {
      figure: 'P16',
      label: `${labelStart}until the last is resumed`,
      ours: formatMedian(ours),
      against,
      theirs: formatMedian(theirs),
      ratio,
      gate: `≤ ${MAX_RATIO}`,
      aim: '≤ 1',
      isReached: ratio.median <= MAX_RATIO,
    },
    {
      figure: 'P16',
      label: `${labelStart}refused upgrades, all rounds`,
      ours: String(countRefused(ours)),
      against,
      theirs: String(countRefused(theirs)),
      gate: '0',
      aim: '',
      isReached: countRefused(ours) === 0,
    },
    {
      figure: 'P16',
      label: `${labelStart}acknowledged messages lost`,
      ours: `${lost} of ${acked.toLocaleString('en')}`,
      against: '',
      theirs: '',
      gate: '0',
      aim: '',
      isReached: lost === 0,
    },
  ];
};
