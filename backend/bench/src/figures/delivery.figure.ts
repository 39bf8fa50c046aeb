import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import type { RelayResult } from '../driver/relay-load';
import { startProxy } from '../measure/proxy';
import { ServerProcess } from '../measure/server-process';
import { computeRatios, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { orderForRound, logProgress, type Outcome, type Row, type Settings } from './figure';

const ROUNDS = 3;
const WARM_UP_SECONDS = 4;
const RELAY = 'minimal relay';
const RELAY_WITH_HISTORY = 'minimal relay with history';

interface Contender {
  name: string;
  group: number;
}

/** P8: time from sending a message until the partner receives it, through nginx and two replicas. */
export const measureDelivery = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const [stores, baselineStores] = [
    await BenchStores.open({ hasDatabase: true }),
    await BenchStores.open({ hasDatabase: true }),
  ];
  const service = await Service.start(stores, { replicas: 2, env: { TRUST_PROXY: '1' } });
  const processes: ServerProcess[] = [];
  const contenders: Contender[] = [];
  /** Every replica has an nginx of its own, so that the two users of a pair are on different replicas. */
  const addContender = async (
    name: string,
    contender: ContenderKind,
    ports: readonly number[],
  ): Promise<void> => {
    const origins: string[] = [];
    for (const port of ports) {
      const { server, origin } = await startProxy(stores.home, [port]);
      processes.push(server);
      origins.push(origin);
    }
    const [first = '', second = ''] = origins;
    const { pairs } = settings;
    const group = await driver.call('openRelay', { contender, origins: [first, second], pairs });
    contenders.push({ name, group });
  };
  const startBaseline = async (
    name: string,
    script: string,
    env: Record<string, string>,
  ): Promise<number> => {
    const { redisUrl: REDIS_URL, databaseUrl: DATABASE_URL } = baselineStores;
    const { server, port } = await ServerProcess.startBaseline({
      name,
      script: path.join(__dirname, '../baselines', script),
      logFile: path.join(baselineStores.home, 'baselines.log'),
      env: { ...process.env, NODE_ENV: 'production', REDIS_URL, DATABASE_URL, ...env },
    });
    processes.push(server);
    return port;
  };
  const addRelay = async (name: string, env: Record<string, string>): Promise<void> => {
    const ports = [
      await startBaseline(name, 'minimal-relay.js', env),
      await startBaseline(name, 'minimal-relay.js', env),
    ];
    await addContender(name, 'minimal relay', ports);
  };
  try {
    const ports = service.replicas.map(({ port }) => port);
    await addContender('thaw', 'thaw', ports);
    await addRelay(RELAY, {});
    await startBaseline('history writer', 'minimal-relay-writer.js', {});
    await addRelay(RELAY_WITH_HISTORY, { HISTORY: 'on' });
    const perSecond = settings.deliveryRate;
    const faults: string[] = [];
    const turns = new Map<string, RelayResult[]>();
    for (const { group } of contenders)
      await driver.call('runRelay', { group, perSecond, seconds: WARM_UP_SECONDS });
    const rounds = Math.min(ROUNDS, settings.rounds);
    for (let round = 1; round <= rounds; round += 1) {
      logProgress(`delivery, round ${round} of ${rounds}`);
      for (const { name, group } of orderForRound(contenders, round)) {
        const load = await driver.call('runRelay', { group, perSecond, seconds: settings.seconds });
        turns.set(name, [...(turns.get(name) ?? []), load]);
        const { sent, acked, received, disorders, p50Ms, p99Ms } = load;
        if (sent !== acked || sent !== received || disorders > 0)
          faults.push(
            `${name}: ${sent} sent, ${acked} acknowledged, ${received} received, ${disorders} out of order`,
          );
        logProgress(`  ${name}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
      }
    }
    return { rows: createRows(turns, perSecond), faults, raw: Object.fromEntries(turns) };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(processes.map((server) => server.stop(2_000)));
    await service.stop();
    await stores.end();
    await baselineStores.end();
  }
};

const createRows = (turns: ReadonlyMap<string, readonly RelayResult[]>, perSecond: number): Row[] => {
  const row = (percentile: 'p50Ms' | 'p99Ms', against: string, gate?: number, aim?: number): Row => {
    const listValues = (name: string): number[] => (turns.get(name) ?? []).map((load) => load[percentile]);
    const ratio = computeRatios(listValues('thaw'), listValues(against));
    const format = (name: string): string => `${median(listValues(name)).toFixed(2)} ms`;
    return {
      figure: 'P8',
      what: `Sent to received through nginx, ${perSecond} messages a second, ${percentile.slice(0, 3)}`,
      ours: format('thaw'),
      against,
      theirs: format(against),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim: aim === undefined ? '' : `≤ ${aim}`,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  return [
    row('p50Ms', RELAY, 2, 1.3),
    row('p50Ms', RELAY_WITH_HISTORY),
    row('p99Ms', RELAY),
    row('p99Ms', RELAY_WITH_HISTORY, undefined, 1.5),
  ];
};
