import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { deleteTemporaryHome, makeTemporaryHome } from '../../../../deploy/local/temporary-homes.mjs';
import { findFreePorts } from '../../../../deploy/local/processes/ports.mjs';
import type { Driver } from '../driver/driver-process';
import { ServerProcess } from '../measure/server-process';
import { computeRatios, computeSpread, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { ourBuild, Service } from '../service';
import { logProgress, type Outcome, type Row, type Settings, wait } from './figure';

/** A round has two launches, which take several seconds each. */
const MAX_LAUNCH_ROUNDS = 3;
/** Limits of P12, in seconds: `gate` must be reached, and `aim` should be. */
const launchLimits = { gate: 15, aim: 8 };
/** Limits of P18, as ratios of an api process to the baseline. */
const readinessLimits = { gate: 1.3, aim: 0.75 };
/** Time after which a launch counts as failed. */
const LAUNCH_TIMEOUT_MS = 60_000;
const PAGE_POLL_MS = 20;
const STOP_GRACE_MS = 5_000;
const BASELINE = 'Nest, same packages';

/** P12: seconds from `npm start` to the first page, on a machine on which everything is installed and built. */
export const measureLaunch = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const firstStarts: number[] = [];
  const laterStarts: number[] = [];
  for (let round = 1; round <= Math.min(MAX_LAUNCH_ROUNDS, settings.rounds); round += 1) {
    const home = makeTemporaryHome();
    try {
      firstStarts.push(await measureLaunchSeconds(home));
      laterStarts.push(await measureLaunchSeconds(home));
    } finally {
      await deleteTemporaryHome(home);
    }
    logProgress(
      `launch, round ${round}: ${firstStarts.at(-1)?.toFixed(1)} s, ${laterStarts.at(-1)?.toFixed(1)} s`,
    );
  }
  const createRow = (label: string, seconds: readonly number[]): Row => {
    const spread = computeSpread(seconds);
    return {
      figure: 'P12',
      label: `${label} (rounds: ${spread.minimum.toFixed(1)} to ${spread.maximum.toFixed(1)} s)`,
      ours: `${spread.median.toFixed(1)} s`,
      against: '',
      theirs: '',
      gate: `≤ ${launchLimits.gate} s`,
      aim: `≤ ${launchLimits.aim} s`,
      isReached: spread.median <= launchLimits.gate,
    };
  };
  const rows = [
    createRow('npm start to the first page, no data yet', firstStarts),
    createRow('npm start to the first page, with data', laterStarts),
  ];
  return { rows, faults: [], raw: { firstStarts, laterStarts } };
};

/** @returns the seconds from the start of the launcher, which does what `npm start` does, to the first page */
const measureLaunchSeconds = async (home: string): Promise<number> => {
  const [port = 0] = await findFreePorts(1);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [path.join(__dirname, '../../src/launch.mjs')], {
    env: { ...process.env, PORT: String(port), THAW_HOME: home },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    while (!(await pollPage(port))) {
      if (child.exitCode !== null) throw new Error('npm start failed');
      if (performance.now() - startedAt > LAUNCH_TIMEOUT_MS) throw new Error('npm start served no page');
    }
    return (performance.now() - startedAt) / 1_000;
  } finally {
    child.kill('SIGINT'); // as Ctrl-C does
    await ended;
  }
};

/**
 * Requests the page once. If the request fails, as it does until the server listens, waits for `PAGE_POLL_MS`.
 * @returns whether the page is served
 */
const pollPage = async (port: number): Promise<boolean> => {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    return response.ok && (await response.text()).includes('<html');
  } catch {
    await wait(PAGE_POLL_MS);
    return false;
  }
};

/** CPU time from the start of a process until it is ready, and its memory at that time. */
interface StartCost {
  cpuMs: number;
  memoryMb: number;
}

/** P18: the start cost of an api process, compared with an empty Nest application that imports the same packages. */
export const measureReadiness = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 1, hasWorker: false });
  const packages = findPackages(path.join(ourBuild.folder, 'api-application.factory.js'));
  const ourCosts: StartCost[] = [];
  const baselineCosts: StartCost[] = [];
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      const replica = await restartReplica(service);
      ourCosts.push(readStartCost('thaw', replica));
      const baseline = await startBaseline(stores, packages);
      baselineCosts.push(readStartCost(BASELINE, baseline));
      await baseline.stop();
    }
  } finally {
    await service.stop();
    await stores.end();
  }
  const createRow = (label: string, key: keyof StartCost, unit: string): Row => {
    const ours = ourCosts.map((cost) => cost[key]);
    const theirs = baselineCosts.map((cost) => cost[key]);
    const ratio = computeRatios(ours, theirs);
    return {
      figure: 'P18',
      label,
      ours: `${median(ours).toFixed(0)} ${unit}`,
      against: BASELINE,
      theirs: `${median(theirs).toFixed(0)} ${unit}`,
      ratio,
      gate: `≤ ${readinessLimits.gate}`,
      aim: `≤ ${readinessLimits.aim}`,
      isReached: ratio.median <= readinessLimits.gate,
    };
  };
  const rows = [
    createRow('CPU of an api process from exec to ready', 'cpuMs', 'ms'),
    createRow('its memory then', 'memoryMb', 'MB'),
  ];
  return { rows, faults: [], raw: { thaw: ourCosts, [BASELINE]: baselineCosts } };
};

/** Restarts the only api replica. @returns its new process, which is ready */
const restartReplica = async (service: Service): Promise<ServerProcess> => {
  const [replica] = service.replicas;
  if (!replica) throw new Error('No replica');
  await replica.server.stop(STOP_GRACE_MS);
  await service.restart(replica); // puts a new replica in the place of this one
  const [restartedReplica] = service.replicas;
  if (!restartedReplica) throw new Error('No replica');
  return restartedReplica.server;
};

/** Starts a Nest application that imports these packages, as resolved from the folder of our build. */
const startBaseline = async (stores: BenchStores, packages: readonly string[]): Promise<ServerProcess> => {
  const { server } = await ServerProcess.startBaseline({
    name: BASELINE,
    script: path.join(__dirname, '../baselines/bare-nest.js'),
    logFile: path.join(stores.home, 'baselines.log'),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PACKAGES: JSON.stringify(packages),
      PACKAGES_FROM: ourBuild.folder,
    },
  });
  return server;
};

/** Reads the cost of a process that has just become ready. */
const readStartCost = (name: string, { cpuMicros, anonymousMemoryBytes }: ServerProcess): StartCost => {
  const cost = { cpuMs: cpuMicros / 1_000, memoryMb: anonymousMemoryBytes / 1_048_576 };
  logProgress(`readiness, ${name}: ${cost.cpuMs.toFixed(0)} ms, ${cost.memoryMb.toFixed(0)} MB`);
  return cost;
};

/** Lists the packages that a compiled file imports when it is loaded, directly or through other files of the build. */
const findPackages = (entry: string): string[] => {
  const packages = new Set<string>();
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    // The compiler writes the imports of a file as unindented `require` calls. Indented calls are inside functions,
    // which run later.
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^\S.*\brequire\("([^"]+)"\)/gm)) {
      if (name.startsWith('.')) visit(resolveFile(path.join(path.dirname(file), name)));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  visit(entry);
  return [...packages];
};

/** Finds the file that `require` loads for a relative path: with `.js`, in a folder `index.js`, or as it is. */
const resolveFile = (file: string): string => {
  if (existsSync(`${file}.js`)) return `${file}.js`;
  return statSync(file).isDirectory() ? path.join(file, 'index.js') : file;
};
