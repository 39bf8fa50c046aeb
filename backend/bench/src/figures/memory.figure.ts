import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import { ServerProcess } from '../measure/server-process';
import { computeRatios, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { type Outcome, type Row, logProgress, type Settings, wait } from './figure';

const MAX_ROUNDS = 3;
/** The wait until the server has finished its work after new sockets or a forced garbage collection. */
const SETTLE_MS = 1_500;
/** Sockets opened before the measurement. */
const WARM_UP_SOCKETS = 200;
/** With these flags, SIGUSR2 forces a garbage collection. */
const nodeFlags = ['--expose-gc', '--require', path.join(__dirname, '../collect-on-signal.js')];

type ServerKind = 'thaw' | 'bare ws' | 'socket.io';

/**
 * P4: KB of anonymous memory per idle connection (an open, authenticated socket). Compared with bare `ws` and
 * Socket.IO. Each measurement starts a new server process.
 */
export const measureMemory = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const rounds = Math.min(MAX_ROUNDS, settings.rounds);
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
  return {
    rows: createRows(kilobytes, settings.idleSockets),
    faults: [],
    raw: Object.fromEntries(kilobytes),
  };
};

const createRows = (kilobytes: ReadonlyMap<ServerKind, readonly number[]>, idleSockets: number): Row[] => {
  const getValues = (kind: ServerKind): readonly number[] => kilobytes.get(kind) ?? [];
  const format = (kind: ServerKind): string => `${median(getValues(kind)).toFixed(1)} KB`;
  // A ratio above `gate` is shown as "missed". `aim` is a stricter limit, which need not be met.
  const createRow = (against: ServerKind, { gate, aim }: { gate?: number; aim: number }): Row => {
    const ratio = computeRatios(getValues('thaw'), getValues(against));
    return {
      figure: 'P4',
      label: `Memory per idle connection, ${idleSockets.toLocaleString('en')} of them`,
      ours: format('thaw'),
      against,
      theirs: format(against),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim: `≤ ${aim}`,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  return [createRow('bare ws', { gate: 2, aim: 1.5 }), createRow('socket.io', { aim: 0.65 })];
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
    const warmUpGroup = await driver.call('openIdleSockets', { kind, origin, sockets: WARM_UP_SOCKETS });
    const bytesBefore = await readSettledMemoryBytes(server);
    const group = await driver.call('openIdleSockets', { kind, origin, sockets });
    const bytesAfter = await readSettledMemoryBytes(server);
    await driver.call('closeGroup', { group });
    await driver.call('closeGroup', { group: warmUpGroup });
    return (bytesAfter - bytesBefore) / sockets / 1_024;
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
    // The replica is the only process of this service, so stopping it stops the service.
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

const readSettledMemoryBytes = async (server: ServerProcess): Promise<number> => {
  // The first garbage collection runs finalizers; the second one frees the objects that these have released.
  for (let times = 0; times < 2; times += 1) {
    await wait(SETTLE_MS);
    server.sendSignal('SIGUSR2');
  }
  await wait(SETTLE_MS);
  return server.anonymousMemoryBytes;
};
