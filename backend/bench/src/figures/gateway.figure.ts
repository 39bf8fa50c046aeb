import path from 'node:path';
import type { CommandResult } from '../driver/command-load';
import type { Driver } from '../driver/driver-process';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import { type RunningBuild, startBuilds, stopBuilds } from '../service';
import {
  orderForRound,
  formatMicros,
  type Outcome,
  regressionGate,
  type Row,
  logProgress,
  type Settings,
  wait,
} from './figure';

/** A build of Thaw or a baseline to compare it with. */
interface Contender {
  name: string;
  /** Identifies the contender's group of clients in the driver's process. */
  group: number;
  server: ServerProcess;
}

interface Baseline {
  name: string;
  /** File in the folder `baselines`. */
  script: string;
  /** Whether the server reads the `ref` of a command from its data instead of from the frame. */
  isRefInData: boolean;
}

const bareWs: Baseline = { name: 'bare ws', script: 'bare-ws.js', isRefInData: false };
const stockNest: Baseline = { name: 'stock Nest', script: 'stock-nest.js', isRefInData: true };

/** The measured values. */
interface Measurement {
  /** CPU µs per command in each round. */
  microsByContender: Map<string, number[]>;
  faults: string[];
}

const WARM_UP_SECONDS = 2;
const PROFILE_SECONDS = 10;

/**
 * P3: CPU µs of one replica for a command that is authenticated, validated, decided and acknowledged, and stores
 * nothing. Compared with bare `ws`, which only parses the JSON and acknowledges, and with Nest as its documentation
 * sets it up.
 */
export const measureGateway = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const profiler = createProfiler(settings.profileFolder);
  const builds = await startBuilds({ replicas: 2 }, profiler.prepare('gateway'));
  const [ours, ...comparedBuilds] = builds;
  if (!ours) throw new Error('No build');
  const baselineServers: ServerProcess[] = [];
  const contenders: Contender[] = [];
  const addBaseline = async ({ name, script, isRefInData }: Baseline): Promise<void> => {
    const { server, port } = await ServerProcess.startBaseline({
      name,
      script: path.join(__dirname, '../baselines', script),
      logFile: path.join(ours.stores.home, 'baselines.log'),
      env: { ...process.env, NODE_ENV: 'production' },
    });
    baselineServers.push(server);
    const origins = [`http://127.0.0.1:${port}`];
    const group = await driver.call('openCommands', { origins, senders: settings.pairs, isRefInData });
    contenders.push({ name, group, server });
  };
  const addBuild = async ({ name, service }: RunningBuild): Promise<void> => {
    // Only the users on the first replica send commands, so only its CPU is measured.
    const [replica] = service.replicas;
    if (!replica) throw new Error('No replica');
    const group = await driver.call('openCommands', { origins: service.origins, senders: settings.pairs });
    contenders.push({ name, group, server: replica.server });
  };
  try {
    await addBaseline(bareWs);
    for (const build of builds) await addBuild(build);
    await addBaseline(stockNest);

    const { microsByContender, faults } = await measureContenders(driver, contenders, settings);
    const thaw = contenders.find(({ name }) => name === ours.name);
    if (settings.profileFolder && thaw) await takeProfile(driver, thaw, profiler, settings.commandsPerSecond);
    return {
      rows: createRows(microsByContender, ours, comparedBuilds),
      faults,
      raw: Object.fromEntries(microsByContender),
    };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(baselineServers.map((server) => server.stop()));
    await stopBuilds(builds);
  }
};

/** Warms the contenders up, and then gives each one a turn in each round. */
const measureContenders = async (
  driver: Driver,
  contenders: readonly Contender[],
  { commandsPerSecond: perSecond, rounds, seconds }: Settings,
): Promise<Measurement> => {
  const faults: string[] = [];
  for (const { name, group } of contenders) {
    const result = await driver.call('runCommands', { group, perSecond, seconds: WARM_UP_SECONDS });
    faults.push(...findFaults(`${name}, warming up`, result));
  }
  const microsByContender = new Map<string, number[]>();
  for (let round = 1; round <= rounds; round += 1) {
    logProgress(`gateway, round ${round} of ${rounds}`);
    for (const { name, group, server } of orderForRound(contenders, round)) {
      const microsBefore = server.cpuMicros;
      const result = await driver.call('runCommands', { group, perSecond, seconds });
      const microsPerCommand = (server.cpuMicros - microsBefore) / result.sent;
      microsByContender.set(name, [...(microsByContender.get(name) ?? []), microsPerCommand]);
      faults.push(...findFaults(name, result));
      logProgress(`  ${name}: ${formatMicros(microsPerCommand)}`);
    }
  }
  return { microsByContender, faults };
};

const takeProfile = async (
  driver: Driver,
  { group, server }: Contender,
  profiler: ReturnType<typeof createProfiler>,
  perSecond: number,
): Promise<void> => {
  profiler.toggle([server]); // starts the profile
  await driver.call('runCommands', { group, perSecond, seconds: PROFILE_SECONDS });
  profiler.toggle([server]); // stops it
  await wait(PROFILE_WRITE_MS);
  profiler.logReport('gateway');
};

/** `refusal`: the data of the first error frame, if there was one. */
const findFaults = (name: string, { sent, acked, faultCount, refusal = '' }: CommandResult): string[] =>
  sent === acked && faultCount === 0
    ? []
    : [`${name}: ${sent} commands, ${acked} acknowledged, ${faultCount} refused or out of order ${refusal}`];

const createRows = (
  microsByContender: ReadonlyMap<string, readonly number[]>,
  ourBuild: RunningBuild,
  comparedBuilds: readonly RunningBuild[],
): Row[] => {
  const ours = microsByContender.get(ourBuild.name) ?? [];
  const comparisons: { against: string; gate?: number; aim: string }[] = [
    { against: bareWs.name, gate: 1.6, aim: '≤ 1.35' },
    { against: stockNest.name, aim: '≤ 0.5' },
    ...comparedBuilds.map(({ name }) => ({ against: name, gate: regressionGate, aim: '' })),
  ];
  return comparisons.map(({ against, gate, aim }) => {
    const theirs = microsByContender.get(against) ?? [];
    const ratio = computeRatios(ours, theirs);
    return {
      figure: 'P3',
      label: 'CPU per command through the gateway',
      ours: formatMicros(median(ours)),
      against,
      theirs: formatMicros(median(theirs)),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  });
};
