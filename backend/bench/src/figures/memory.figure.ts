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

type Kind = 'thaw' | 'json' | 'socket.io';

/** P4: memory per open, authenticated, idle connection. Every turn has its own process. */
export const measureMemory = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const rounds = Math.min(ROUNDS, settings.rounds);
  const kilobytes = new Map<Kind, number[]>();
  const stores = await BenchStores.open({ hasDatabase: true });
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const kind of ['json', 'thaw', 'socket.io'] as const) {
        const perSocket = await measureKilobytesPerSocket(driver, stores, kind, settings.idleSockets);
        kilobytes.set(kind, [...(kilobytes.get(kind) ?? []), perSocket]);
        logProgress(`memory, round ${round} of ${rounds}, ${kind}: ${perSocket.toFixed(1)} KB a connection`);
      }
    }
  } finally {
    await stores.end();
  }
  const valuesOf = (kind: Kind): number[] => kilobytes.get(kind) ?? [];
  const row = (against: string, theirs: readonly number[], gate: number | undefined, aim: string): Row => {
    const ratio = computeRatios(valuesOf('thaw'), theirs);
    return {
      figure: 'P4',
      what: `Memory per idle connection, ${settings.idleSockets.toLocaleString('en')} of them`,
      ours: `${computeSpread(valuesOf('thaw')).median.toFixed(1)} KB`,
      against,
      theirs: `${computeSpread(theirs).median.toFixed(1)} KB`,
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  const rows = [
    row('bare ws', valuesOf('json'), 2, '≤ 1.5'),
    row('socket.io', valuesOf('socket.io'), undefined, '≤ 0.65'),
  ];
  return { rows, faults: [], raw: Object.fromEntries(kilobytes) };
};

const measureKilobytesPerSocket = async (
  driver: Driver,
  stores: BenchStores,
  kind: Kind,
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
  kind: Kind,
): Promise<{ server: ServerProcess; origin: string }> => {
  if (kind === 'thaw') {
    const [replica] = (await Service.start(stores, { replicas: 1, hasWorker: false, nodeFlags })).replicas;
    if (!replica) throw new Error('No replica');
    return replica;
  }
  const { server, port } = await ServerProcess.startPeer({
    name: kind,
    script: path.join(__dirname, '../peers', kind === 'json' ? 'bare-echo.js' : 'socket-io-relay.js'),
    logFile: path.join(stores.home, 'peers.log'),
    env: { ...process.env, NODE_ENV: 'production', REDIS_URL: stores.redisUrl },
    nodeFlags,
  });
  return { server, origin: `http://127.0.0.1:${port}` };
};

const readSettledMemory = async (server: ServerProcess): Promise<number> => {
  // Two collections: the first runs finalizers, whose objects the second one frees.
  for (let times = 0; times < 2; times += 1) {
    await wait(SETTLE_MS);
    server.signal('SIGUSR2');
  }
  await wait(SETTLE_MS);
  return server.ownMemoryBytes;
};
