import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import { ServerProcess } from '../measure/server-process';
import { computeRatios, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { orderForRound, logProgress, type Outcome, type Row, type Settings } from './figure';

/** Few, because each contender takes many steps in a round. */
const MAX_ROUNDS = 2;
const WARM_UP_SECONDS = 4;
const STEP_SECONDS = 2;
/** Each step multiplies the rate by this factor. */
const STEP_FACTOR = 1.2;
const MAX_P99_MS = 100;

/** Thaw or the baseline to compare it with. */
interface Contender {
  kind: ContenderKind;
  /** Identifies the contender's group of client pairs in the driver's process. */
  group: number;
}

/**
 * P15: the highest rate of messages that two replicas on this machine sustain with a p99 of at most 100 ms. Compared
 * with Socket.IO, which stores no history.
 */
export const measureSaturation = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const baselineStores = await BenchStores.open({ hasDatabase: false });
  const service = await Service.start(stores, { replicas: 2 });
  const baselines: ServerProcess[] = [];
  const contenders: Contender[] = [];
  /** @param origins the two servers of the contender */
  const addContender = async (kind: ContenderKind, origins: readonly string[]): Promise<void> => {
    const [first = '', second = ''] = origins;
    const { pairs } = settings;
    const group = await driver.call('openRelay', { kind, origins: [first, second], pairs });
    contenders.push({ kind, group });
  };
  /** Starts one of the two servers with Socket.IO. @returns its origin */
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
    await addContender('thaw', service.origins);
    await addContender('socket.io', [await startBaseline(), await startBaseline()]);
    const startRate = settings.messagesPerSecond;
    for (const { group } of contenders)
      await driver.call('runRelay', { group, perSecond: startRate, seconds: WARM_UP_SECONDS });
    /** The sustained rate in each round. */
    const ratesByKind = new Map<ContenderKind, number[]>();
    const rounds = Math.min(MAX_ROUNDS, settings.rounds);
    for (let round = 1; round <= rounds; round += 1) {
      for (const { kind, group } of orderForRound(contenders, round)) {
        const rate = await findSustainedRate(driver, group, startRate);
        ratesByKind.set(kind, [...(ratesByKind.get(kind) ?? []), rate]);
        logProgress(`saturation, round ${round} of ${rounds}, ${kind}: ${rate.toFixed(0)} messages a second`);
      }
    }
    return { rows: [createRow(ratesByKind)], faults: [], raw: Object.fromEntries(ratesByKind) };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(baselines.map((server) => server.stop()));
    await service.stop();
    await stores.end();
    await baselineStores.end();
  }
};

const createRow = (ratesByKind: ReadonlyMap<ContenderKind, readonly number[]>): Row => {
  const ours = ratesByKind.get('thaw') ?? [];
  const theirs = ratesByKind.get('socket.io') ?? [];
  const ratio = computeRatios(ours, theirs);
  return {
    figure: 'P15',
    label: `Highest rate of two replicas with p99 ≤ ${MAX_P99_MS} ms, worker on`,
    ours: `${median(ours).toFixed(0)} /s`,
    against: 'socket.io, no history',
    theirs: `${median(theirs).toFixed(0)} /s`,
    ratio,
    gate: '≥ 1',
    aim: '≥ 1.3',
    isReached: ratio.median >= 1,
  };
};

/**
 * Raises the rate step by step. A step that fails is repeated once, in case another program used the machine.
 * @returns the highest sustained rate, in messages per second; 0 when the first step fails
 */
const findSustainedRate = async (driver: Driver, group: number, startRate: number): Promise<number> => {
  let sustainedRate = 0;
  for (let rate = startRate; ; rate *= STEP_FACTOR) {
    const isSustained = (await canSustain(driver, group, rate)) || (await canSustain(driver, group, rate));
    if (!isSustained) return sustainedRate;
    sustainedRate = rate;
  }
};

/** Sends messages at a rate for a step. @returns whether all arrived, with a p99 within the limit */
const canSustain = async (driver: Driver, group: number, perSecond: number): Promise<boolean> => {
  const { sent, acked, received, p99Ms } = await driver.call('runRelay', {
    group,
    perSecond,
    seconds: STEP_SECONDS,
  });
  logProgress(`  ${perSecond.toFixed(0)} messages a second: p99 ${p99Ms.toFixed(0)} ms`);
  return received === sent && acked === sent && p99Ms <= MAX_P99_MS;
};
