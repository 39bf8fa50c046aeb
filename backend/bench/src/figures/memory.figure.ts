import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import { ServerProcess } from '../measure/server-process';
import { computeRatios, computeSpread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { type Outcome, type Row, logProgress, type Settings, wait } from './figure';

const ROUNDS = 3;
/** A forced garbage collection and what it triggers end within this time. */
const SETTLE_MS = 1_500;
/** Sockets opened before the measurement. */
const FIRST_SOCKETS = 200;
const nodeFlags = ['--expose-gc', '--require', path.join(__dirname, '../collect-on-signal.js')];

type ServerKind = 'thaw' | 'bare ws' | 'socket.io';

/**
 * P4: KB of anonymous memory per open, authenticated, idle socket. Compared with bare `ws` and Socket.IO. Every turn
 * has a process of its own.
 */
export const measureMemory = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const rounds = Math.min(ROUNDS, settings.rounds);
  const kilobytes = new Map<ServerKind, number[]>();
  const stores = await BenchStores.open({ hasDatabase: true });
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const kind of ['bare ws', 'thaw', 'socket.io'] as const) {
        const perSocket = await measureKilobytesPerSocket(driver, stores, kind, settings.idleSockets);
        kilobytes.set(kind, [...(kilobytes.get(kind) ?? []), perSocket]);
        logProgress(`memory, round ${round} of ${rounds}, ${kind}: ${perSocket.toFixed(1)} KB a connection`);
      }
    }
  } finally {
    await stores.end();
  }
  const getValues = (kind: ServerKind): number[] => kilobytes.get(kind) ?? [];
  const createRow = (
    against: string,
    theirs: readonly number[],
    gate: number | undefined,
    aim: string,
  ): Row => {
    const ratio = computeRatios(getValues('thaw'), theirs);
    return {
      figure: 'P4',
      what: `Memory per idle connection, ${settings.idleSockets.toLocaleString('en')} of them`,
      ours: `${computeSpread(getValues('thaw')).median.toFixed(1)} KB`,
      against,
      theirs: `${computeSpread(theirs).median.toFixed(1)} KB`,
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const rows = [
    createRow('bare ws', getValues('bare ws'), 2, '≤ 1.5'),
    createRow('socket.io', getValues('socket.io'), undefined, '≤ 0.65'),
  ];
  return { rows, faults: [], raw: Object.fromEntries(kilobytes) };
};

const measureKilobytesPerSocket = async (
  driver: Driver,
  stores: BenchStores,
  kind: ServerKind,
  sockets: number,
): Promise<number> => {
  const { server, origin } = await startServer(stores, kind);
  try {
    // The first sockets add compiled code and buffers that the process keeps; later ones do not.
    const first = await driver.call('openIdleSockets', { kind, origin, sockets: FIRST_SOCKETS });
    const before = await readSettledMemory(server);
    const group = await driver.call('openIdleSockets', { kind, origin, sockets });
    const after = await readSettledMemory(server);
    await driver.call('closeGroup', { group });
    await driver.call('closeGroup', { group: first });
    return (after - before) / sockets / 1_024;
  } finally {
    await server.stop();
  }
};

const startServer = async (
  stores: BenchStores,
  kind: ServerKind,
): Promise<{ server: ServerProcess; origin: string }> => {
  if (kind === 'thaw') {
    const [replica] = (await Service.start(stores, { replicas: 1, hasWorker: false, nodeFlags })).replicas;
    if (!replica) throw new Error('No replica');
    return replica;
  }
  const { server, port } = await ServerProcess.startBaseline({
    name: kind,
    script: path.join(__dirname, '../baselines', kind === 'bare ws' ? 'bare-ws.js' : 'socket-io-relay.js'),
    logFile: path.join(stores.home, 'baselines.log'),
    env: { ...process.env, NODE_ENV: 'production', REDIS_URL: stores.redisUrl },
    nodeFlags,
  });
  return { server, origin: `http://127.0.0.1:${port}` };
};

const readSettledMemory = async (server: ServerProcess): Promise<number> => {
  // Two collections: the first runs finalizers, whose objects the second one frees.
  for (let times = 0; times < 2; times += 1) {
    await wait(SETTLE_MS);
    server.sendSignal('SIGUSR2');
  }
  await wait(SETTLE_MS);
  return server.ownMemoryBytes;
};
