import path from 'node:path';
import type { CutResult } from '../driver/cut-load';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import { ServerProcess } from '../measure/server-process';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { logProgress, type Outcome, type Row, type Settings } from './figure';

const PAIRS = 25;
/** The total of all pairs of one contender. */
const MESSAGES_PER_SECOND = 100;

interface Contender {
  name: string;
  kind: ContenderKind;
  origins: readonly [string, string];
}

interface ConnectedContender extends Contender {
  /** Number of the group of clients, in the driver, that are connected to this contender. */
  group: number;
}

/**
 * Figure P11 (README.md of the bench): messages delivered while the TCP connection of every client is cut every 15 s,
 * for 2 s (see `CutLoad`). Compared with Socket.IO, and with Socket.IO that recovers lost connections. All contenders
 * run at the same time.
 */
export const measureCuts = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 2 });
  const baselines: ServerProcess[] = [];
  const connected: ConnectedContender[] = [];
  /** @returns the origin of the started server */
  const startSocketIo = async ({ hasRecovery }: { hasRecovery: boolean }): Promise<string> => {
    const { server, port } = await ServerProcess.startBaseline({
      name: 'socket.io',
      script: path.join(__dirname, '../baselines/socket-io-relay.js'),
      logFile: path.join(stores.home, 'baselines.log'),
      env: {
        ...process.env,
        NODE_ENV: 'production',
        REDIS_URL: stores.redisUrl,
        RECOVERY: hasRecovery ? 'on' : 'off',
      },
    });
    baselines.push(server);
    return `http://127.0.0.1:${port}`;
  };
  try {
    const originWithRecovery = await startSocketIo({ hasRecovery: true });
    const [first = '', second = ''] = service.origins;
    const contenders: readonly Contender[] = [
      { name: 'thaw', kind: 'thaw', origins: [first, second] },
      {
        name: 'socket.io',
        kind: 'socket.io',
        origins: [await startSocketIo({ hasRecovery: false }), await startSocketIo({ hasRecovery: false })],
      },
      // Both origins are one process, because the Redis adapter of Socket.IO does not support recovery.
      {
        name: 'socket.io with recovery',
        kind: 'socket.io',
        origins: [originWithRecovery, originWithRecovery],
      },
    ];
    for (const contender of contenders) {
      const { kind, origins } = contender;
      const group = await driver.call('openCuts', { kind, origins, pairs: PAIRS });
      connected.push({ ...contender, group });
    }
    const load = { perSecond: MESSAGES_PER_SECOND, seconds: settings.cutRunSeconds };
    const run = async ({ name, group }: ConnectedContender): Promise<[name: string, result: CutResult]> => {
      const result = await driver.call('runCuts', { group, ...load });
      logProgress(`cuts, ${name}: ${JSON.stringify(result)}`);
      return [name, result];
    };
    const results = new Map(await Promise.all(connected.map(run)));
    const ours = results.get('thaw');
    const hasFault = !ours || !isComplete(ours);
    const faults = hasFault ? [`cuts: thaw lost or duplicated messages: ${JSON.stringify(ours)}`] : [];
    return { rows: createRows(results), faults, raw: Object.fromEntries(results) };
  } finally {
    for (const { group } of connected) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(baselines.map((server) => server.stop()));
    await service.stop();
    await stores.end();
  }
};

const isComplete = ({ sent, delivered, duplicates }: CutResult): boolean =>
  sent === delivered && duplicates === 0;

const formatDelivery = ({ sent, delivered, duplicates }: CutResult): string =>
  `${((delivered / sent) * 100).toFixed(2)} %, ${duplicates} twice`;

const createRows = (results: ReadonlyMap<string, CutResult>): Row[] => {
  const ours = results.get('thaw');
  if (!ours) return [];
  const label = `Delivered of ${ours.sent.toLocaleString('en')} messages, ${ours.cuts} cuts of 2 s`;
  return [...results]
    .filter(([name]) => name !== 'thaw')
    .map(([against, theirs]) => ({
      figure: 'P11',
      label,
      ours: formatDelivery(ours),
      against,
      theirs: formatDelivery(theirs),
      gate: '100 %, 0 twice',
      aim: '', // no limit is stricter than the gate
      isReached: isComplete(ours),
    }));
};
