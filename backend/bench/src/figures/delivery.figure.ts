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

const MAX_ROUNDS = 3;
const WARM_UP_SECONDS = 4;
/** Grace period in which nginx stops its child processes. The baselines stop at once. */
const STOP_GRACE_MS = 2_000;
/** Names of the baselines in the results. */
const RELAY_NAME = 'minimal relay';
const RELAY_WITH_HISTORY_NAME = 'minimal relay with history';

/** Thaw or a baseline to compare it with. */
interface Contender {
  name: string;
  /** Identifies the contender's group of client pairs in the driver's process. */
  group: number;
}

/**
 * P8: time from sending a message until the partner receives it, through nginx and two replicas. The baselines are a
 * minimal relay with and one without history in PostgreSQL.
 */
export const measureDelivery = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const baselineStores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 2, env: { TRUST_PROXY: '1' } });
  /** The proxies and the baselines. */
  const processes: ServerProcess[] = [];
  const contenders: Contender[] = [];
  /** Starts an nginx for each of the two servers, so that the two users of a pair are on different servers. */
  const addContender = async (name: string, kind: ContenderKind, ports: readonly number[]): Promise<void> => {
    const origins: string[] = [];
    for (const port of ports) {
      const { server, origin } = await startProxy(stores.home, [port]);
      processes.push(server);
      origins.push(origin);
    }
    const [first = '', second = ''] = origins;
    const { pairs } = settings;
    const group = await driver.call('openRelay', { kind, origins: [first, second], pairs });
    contenders.push({ name, group });
  };
  /** Starts one process of a baseline. @returns its port */
  const startBaselineProcess = async (
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
      await startBaselineProcess(name, 'minimal-relay.js', env),
      await startBaselineProcess(name, 'minimal-relay.js', env),
    ];
    await addContender(name, 'minimal relay', ports);
  };
  try {
    const ports = service.replicas.map(({ port }) => port);
    await addContender('thaw', 'thaw', ports);
    await addRelay(RELAY_NAME, {});
    await startBaselineProcess('history writer', 'minimal-relay-writer.js', {});
    await addRelay(RELAY_WITH_HISTORY_NAME, { HISTORY: 'on' });
    const { results, faults } = await runRounds(driver, contenders, settings);
    return { rows: createRows(results, settings.deliveryRate), faults, raw: Object.fromEntries(results) };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(processes.map((server) => server.stop(STOP_GRACE_MS)));
    await service.stop();
    await stores.end();
    await baselineStores.end();
  }
};

/** Measures each contender once in each round, after a warm-up. `results`: by the name of the contender. */
const runRounds = async (
  driver: Driver,
  contenders: readonly Contender[],
  settings: Settings,
): Promise<{ results: Map<string, RelayResult[]>; faults: string[] }> => {
  const perSecond = settings.deliveryRate;
  const results = new Map<string, RelayResult[]>();
  const faults: string[] = [];
  for (const { group } of contenders)
    await driver.call('runRelay', { group, perSecond, seconds: WARM_UP_SECONDS });
  const rounds = Math.min(MAX_ROUNDS, settings.rounds);
  for (let round = 1; round <= rounds; round += 1) {
    logProgress(`delivery, round ${round} of ${rounds}`);
    for (const { name, group } of orderForRound(contenders, round)) {
      const result = await driver.call('runRelay', { group, perSecond, seconds: settings.seconds });
      results.set(name, [...(results.get(name) ?? []), result]);
      faults.push(...findFaults(name, result));
      logProgress(`  ${name}: p50 ${result.p50Ms.toFixed(2)} ms, p99 ${result.p99Ms.toFixed(2)} ms`);
    }
  }
  return { results, faults };
};

/** @returns one sentence, in a list, if messages were lost, duplicated or out of order; otherwise `[]` */
const findFaults = (name: string, { sent, acked, received, outOfOrder }: RelayResult): string[] => {
  if (sent === acked && sent === received && outOfOrder === 0) return [];
  return [`${name}: ${sent} sent, ${acked} acknowledged, ${received} received, ${outOfOrder} out of order`];
};

const createRows = (results: ReadonlyMap<string, readonly RelayResult[]>, perSecond: number): Row[] => {
  // Limits of the ratio: above `gate`, the row is shown as "missed"; `aim` is stricter and need not be met.
  const createRow = (
    percentile: 'p50' | 'p99',
    against: string,
    { gate, aim }: { gate?: number; aim?: number } = {},
  ): Row => {
    const getValues = (name: string): number[] =>
      (results.get(name) ?? []).map((result) => result[`${percentile}Ms`]);
    const ratio = computeRatios(getValues('thaw'), getValues(against));
    const format = (name: string): string => `${median(getValues(name)).toFixed(2)} ms`;
    return {
      figure: 'P8',
      label: `Sent to received through nginx, ${perSecond} messages a second, ${percentile}`,
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
    createRow('p50', RELAY_NAME, { gate: 2, aim: 1.3 }),
    createRow('p50', RELAY_WITH_HISTORY_NAME),
    createRow('p99', RELAY_NAME),
    createRow('p99', RELAY_WITH_HISTORY_NAME, { aim: 1.5 }),
  ];
};
