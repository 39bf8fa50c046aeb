import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { StormResult } from '../driver/storm';
import { startProxy } from '../measure/proxy';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { findFreePorts } from '../../../../deploy/local/processes/ports.mjs';
import { Service } from '../service';
import { orderForRound, type Outcome, type Row, logProgress, type Settings, wait } from './figure';

const REPLICAS = 3;
const MAX_ROUNDS = 3;
/** Gate of the ratio between the reconnect times of Thaw and of Socket.IO. */
const MAX_RATIO = 1.5;
/** The users chat for this long before the replica is killed. */
const CHAT_MS = 2_000;

/** The time that nginx has to stop its child processes; then it is killed. */
const PROXY_STOP_GRACE_MS = 5_000;

/** Thaw or the baseline to compare it with. */
interface Contender {
  kind: 'thaw' | 'socket.io';
  /** Identifies the client pairs in the driver's process that are connected to this contender. */
  group: number;
  /** Origin of the nginx in front of the replicas. */
  proxyOrigin: string;
  /** Returns the replica that holds all sockets and is killed next. A restart replaces it. */
  getReplicaToKill: () => { server: ServerProcess; origin: string };
  restartKilled: () => Promise<void>;
}

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
  const addContender = async (
    kind: Contender['kind'],
    replicas: () => readonly { server: ServerProcess; port: number; origin: string }[],
    restartKilled: Contender['restartKilled'],
  ): Promise<void> => {
    const ports = replicas().map(({ port }) => port);
    const { server, origin: proxyOrigin } = await startProxy(stores.home, ports);
    proxies.push(server);
    const getReplicaToKill: Contender['getReplicaToKill'] = () => {
      const [first] = replicas();
      if (!first) throw new Error('No replica');
      return first;
    };
    logProgress(`  opening ${settings.openedSockets} sockets in chats, ${kind}`);
    const { origin } = getReplicaToKill();
    // Not through the proxy, which would distribute the sockets among the replicas.
    const group = await driver.call('openStorm', { kind, origin, pairs: settings.openedSockets / 2 });
    contenders.push({ kind, group, proxyOrigin, getReplicaToKill, restartKilled });
  };
  try {
    await addContender(
      'thaw',
      () => service.replicas,
      async () => {
        const [first] = service.replicas;
        if (first) await service.restart(first);
      },
    );
    await addContender(
      'socket.io',
      () => baseline.replicas,
      () => baseline.restartFirst(),
    );
    const faults: string[] = [];
    // A turn is the part of a round in which one contender runs.
    const turns = new Map<Contender['kind'], StormResult[]>();
    const rounds = Math.min(MAX_ROUNDS, settings.rounds);
    for (let round = 1; round <= rounds; round += 1) {
      logProgress(`storm, round ${round} of ${rounds}`);
      for (const { kind, group, proxyOrigin, getReplicaToKill, restartKilled } of orderForRound(
        contenders,
        round,
      )) {
        // In the first round all sockets are still where `openStorm` has opened them.
        if (round > 1) await driver.call('moveToReplica', { group, origin: getReplicaToKill().origin });
        const pendingResult = driver.call('runStorm', { group, proxy: proxyOrigin });
        await wait(CHAT_MS);
        // Without a grace period, `stop` sends SIGKILL.
        await getReplicaToKill().server.stop();
        const result = await pendingResult;
        await restartKilled();
        turns.set(kind, [...(turns.get(kind) ?? []), result]);
        const { reconnected, sockets, lost, lastReconnectedMs, acked } = result;
        if (reconnected !== sockets) faults.push(`${kind}: ${reconnected} of ${sockets} reconnected`);
        if (lost > 0) faults.push(`${kind}: ${lost} of ${acked} acknowledged messages were lost`);
        const refusals = JSON.stringify(result.refusals);
        logProgress(
          `  ${kind}: the last after ${lastReconnectedMs.toFixed(0)} ms, refused ${refusals}, lost ${lost}`,
        );
      }
    }
    return { rows: createRows(turns), faults, raw: Object.fromEntries(turns) };
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

/** Three Socket.IO processes with the Redis adapter. */
class SocketIoReplicas {
  readonly replicas: { server: ServerProcess; port: number; origin: string }[] = [];

  private constructor(private readonly stores: BenchStores) {}

  static async start(stores: BenchStores): Promise<SocketIoReplicas> {
    const baseline = new SocketIoReplicas(stores);
    for (const port of await findFreePorts(REPLICAS))
      baseline.replicas.push(await baseline.startReplica(port));
    return baseline;
  }

  async restartFirst(): Promise<void> {
    const [first] = this.replicas;
    if (first) this.replicas[0] = await this.startReplica(first.port);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(({ server }) => server.stop()));
  }

  private async startReplica(port: number): Promise<{ server: ServerProcess; port: number; origin: string }> {
    const { server } = await ServerProcess.startBaseline({
      name: 'socket.io',
      script: path.join(__dirname, '../baselines/socket-io-relay.js'),
      logFile: path.join(this.stores.home, 'baselines.log'),
      env: { ...process.env, NODE_ENV: 'production', REDIS_URL: this.stores.redisUrl, PORT: String(port) },
    });
    return { server, port, origin: `http://127.0.0.1:${port}` };
  }
}

const createRows = (turns: ReadonlyMap<Contender['kind'], readonly StormResult[]>): Row[] => {
  const ours = turns.get('thaw') ?? [];
  const theirs = turns.get('socket.io') ?? [];
  const getReconnectedMs = (results: readonly StormResult[]): number[] =>
    results.map((result) => result.lastReconnectedMs);
  const formatMedian = (results: readonly StormResult[]): string =>
    `${median(getReconnectedMs(results)).toFixed(0)} ms`;
  const countRefused = (results: readonly StormResult[]): number =>
    results.reduce((sum, { refusals }) => sum + Object.values(refusals).reduce((a, b) => a + b, 0), 0);
  const ratio = computeRatios(getReconnectedMs(ours), getReconnectedMs(theirs));
  // Each turn counts the messages since the sockets were opened, so the last turn has the totals.
  const { lost, acked } = ours.at(-1) ?? { lost: 0, acked: 0 };
  const sockets = (ours[0]?.sockets ?? 0).toLocaleString('en');
  const labelStart = `${sockets} sockets in chats lose their replica: `;
  return [
    {
      figure: 'P16',
      label: `${labelStart}until the last is resumed`,
      ours: formatMedian(ours),
      against: 'socket.io, nothing to resume',
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
      against: 'socket.io, nothing to resume',
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
