import path from 'node:path';
import type { CommandResult } from '../driver/command-load';
import type { Driver } from '../driver/driver-process';
import { createProfiler, PROFILE_WRITE_MS } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, computeRatios } from '../measure/statistics';
import { startBuilds, stopBuilds } from '../service';
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
  // The first build is ours; the others are earlier builds to compare with.
  const [ours] = builds;
  if (!ours) throw new Error('No build');
  const baselines: ServerProcess[] = [];
  const contenders: Contender[] = [];
  /** @param isRefInData whether the server reads the `ref` of a command from its data instead of from the frame */
  const addBaseline = async (name: string, script: string, isRefInData: boolean): Promise<void> => {
    const { server, port } = await ServerProcess.startBaseline({
      name,
      script: path.join(__dirname, '../baselines', script),
      logFile: path.join(ours.stores.home, 'baselines.log'),
      env: { ...process.env, NODE_ENV: 'production' },
    });
    baselines.push(server);
    const origins = [`http://127.0.0.1:${port}`];
    const group = await driver.call('openCommands', { origins, senders: settings.pairs, isRefInData });
    contenders.push({ name, group, server });
  };
  try {
    await addBaseline('bare ws', 'bare-ws.js', false);
    for (const { name, service } of builds) {
      // Only the users on the first replica send commands, so only its CPU is measured.
      const [replica] = service.replicas;
      if (!replica) throw new Error('No replica');
      const group = await driver.call('openCommands', { origins: service.origins, senders: settings.pairs });
      contenders.push({ name, group, server: replica.server });
    }
    await addBaseline('stock Nest', 'stock-nest.js', true);

    const perSecond = settings.commandsPerSecond;
    const faults: string[] = [];
    for (const { name, group } of contenders) {
      const result = await driver.call('runCommands', { group, perSecond, seconds: WARM_UP_SECONDS });
      faults.push(...findFaults(`${name}, warming up`, result));
    }
    /** CPU µs per command in each round. */
    const microsByContender = new Map<string, number[]>();
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`gateway, round ${round} of ${settings.rounds}`);
      for (const { name, group, server } of orderForRound(contenders, round)) {
        const microsBefore = server.cpuMicros;
        const result = await driver.call('runCommands', { group, perSecond, seconds: settings.seconds });
        const microsPerCommand = (server.cpuMicros - microsBefore) / result.sent;
        microsByContender.set(name, [...(microsByContender.get(name) ?? []), microsPerCommand]);
        faults.push(...findFaults(name, result));
        logProgress(`  ${name}: ${formatMicros(microsPerCommand)}`);
      }
    }
    const thaw = contenders.find(({ name }) => name === ours.name);
    if (settings.profileFolder && thaw) {
      profiler.toggle([thaw.server]); // starts the profile
      await driver.call('runCommands', { group: thaw.group, perSecond, seconds: PROFILE_SECONDS });
      profiler.toggle([thaw.server]); // stops it
      await wait(PROFILE_WRITE_MS);
      profiler.logReport('gateway');
    }
    const comparedBuilds = builds.slice(1).map(({ name }) => name);
    return {
      rows: createRows(microsByContender, ours.name, comparedBuilds),
      faults,
      raw: Object.fromEntries(microsByContender),
    };
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(baselines.map((server) => server.stop()));
    await stopBuilds(builds);
  }
};

/** A fault ends with `refusal`: the data of the first error frame, if there was one. */
const findFaults = (name: string, { sent, acked, faultCount, refusal = '' }: CommandResult): string[] =>
  sent === acked && faultCount === 0
    ? []
    : [`${name}: ${sent} commands, ${acked} acknowledged, ${faultCount} refused or out of order ${refusal}`];

const createRows = (
  microsByContender: ReadonlyMap<string, readonly number[]>,
  ourName: string,
  comparedBuilds: readonly string[],
): Row[] => {
  const ours = microsByContender.get(ourName) ?? [];
  const comparisons: readonly (readonly [name: string, gate: number | undefined, aim: string])[] = [
    ['bare ws', 1.6, '≤ 1.35'],
    ['stock Nest', undefined, '≤ 0.5'],
    ...comparedBuilds.map((build) => [build, regressionGate, ''] as const),
  ];
  return comparisons.map(([against, gate, aim]) => {
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
