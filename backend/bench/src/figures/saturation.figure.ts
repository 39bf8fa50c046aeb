import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import { ServerProcess } from '../measure/server-process';
import { computeRatios, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { orderForRound, logProgress, type Outcome, type Settings } from './figure';

const ROUNDS = 2;
const WARM_UP_SECONDS = 4;
const STEP_SECONDS = 2;
/** Each step has this many times the rate of the one before. */
const STEP_FACTOR = 1.2;
const MAX_P99_MS = 100;

interface Contender {
  name: string;
  group: number;
}

/** P15: the highest rate of messages that two replicas on this machine sustain with a p99 of at most 100 ms. */
export const measureSaturation = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const [stores, baselineStores] = [
    await BenchStores.open({ hasDatabase: true }),
    await BenchStores.open({ hasDatabase: false }),
  ];
  const service = await Service.start(stores, { replicas: 2 });
  const baselines: ServerProcess[] = [];
  const contenders: Contender[] = [];
  const addContender = async (
    name: string,
    contender: ContenderKind,
    origins: readonly string[],
  ): Promise<void> => {
    const [first = '', second = ''] = origins;
    const { pairs } = settings;
    const group = await driver.call('openRelay', { contender, origins: [first, second], pairs });
    contenders.push({ name, group });
  };
  const startBaseline = async (): Promise<string> => {
    const { server, port } = await ServerProcess.startBaseline({
      name: 'socket.io',
      script: path.join(__dirname, '../baselines/socket-io-relay.js'),
      logFile: path.join(baselineStores.home, 'baselines.log'),
      env: { ...process.env, NODE_ENV: 'production', REDIS_URL: baselineStores.redisUrl },
    });
    baselines.push(server);
    return `http://127.0.0.1:${port}`;
  };
  try {
    await addContender('thaw', 'thaw', service.origins);
    await addContender('socket.io', 'socket.io', [await startBaseline(), await startBaseline()]);
    const start = settings.messagesPerSecond;
    for (const { group } of contenders)
      await driver.call('runRelay', { group, perSecond: start, seconds: WARM_UP_SECONDS });
    const sustained = new Map<string, number[]>();
    const rounds = Math.min(ROUNDS, settings.rounds);
    for (let round = 1; round <= rounds; round += 1) {
      for (const { name, group } of orderForRound(contenders, round)) {
        const rate = await findSustainedRate(driver, group, start);
        sustained.set(name, [...(sustained.get(name) ?? []), rate]);
        logProgress(`saturation, round ${round} of ${rounds}, ${name}: ${rate.toFixed(0)} messages a second`);
      }
    }
    const getValues = (name: string): number[] => sustained.get(name) ?? [];
    const ratio = computeRatios(getValues('thaw'), getValues('socket.io'));
    const row = {
      figure: 'P15',
      what: `Highest rate of two replicas with p99 ≤ ${MAX_P99_MS} ms, worker on`,
      ours: `${median(getValues('thaw')).toFixed(0)} /s`,
      against: 'socket.io, no history',
      theirs: `${median(getValues('socket.io')).toFixed(0)} /s`,
      ratio,
      gate: '≥ 1',
      aim: '≥ 1.3',
      isReached: ratio.median >= 1,
    };
    return { rows: [row], faults: [], raw: Object.fromEntries(sustained) };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(baselines.map((server) => server.stop()));
    await service.stop();
    await stores.end();
    await baselineStores.end();
  }
};

/** Raises the rate step by step. A step that fails is repeated once, in case another program used the machine. */
const findSustainedRate = async (driver: Driver, group: number, start: number): Promise<number> => {
  let sustained = 0;
  for (let perSecond = start; ; perSecond *= STEP_FACTOR) {
    const isSustained = async (): Promise<boolean> => {
      const load = await driver.call('runRelay', { group, perSecond, seconds: STEP_SECONDS });
      logProgress(`  ${perSecond.toFixed(0)} messages a second: p99 ${load.p99Ms.toFixed(0)} ms`);
      return load.received === load.sent && load.acked === load.sent && load.p99Ms <= MAX_P99_MS;
    };
    if (!(await isSustained()) && !(await isSustained())) return sustained;
    sustained = perSecond;
  }
};
