import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { LauncherError } from '../launcher-error.mjs';
import { bold, dim, logStep } from '../console.mjs';
import { localHome, ensurePrivateFolder } from '../paths.mjs';
import { followLogs } from '../processes/follow-log.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { endOrphanedProcesses } from '../processes/managed-process.mjs';
import { signalRunningPrograms } from '../processes/run-to-end.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { requireAvailablePort, ThawStack } from '../thaw-stack.mjs';

const DEFAULT_PORT = 8080;
const MAX_REPLICAS = 32;
const MAX_PORT = 65_535;

/** `npm start [-- --replicas N] [--port P] [--verbose]` */
export async function main(args) {
  await start({ ...readOptions(args), prepare: [ensurePackages, build], home: localHome });
}

/**
 * Runs the steps of `prepare`, starts the stack, prints the address of the page, and waits until the launcher is
 * interrupted. `home`, `isDurable`, `programs` and `page` are options of `ThawStack`.
 * @param {{replicas: number, port: number, isVerbose: boolean, home: string,
 *   prepare: ((logStep: Function) => Promise<void>)[], isDurable?: boolean,
 *   programs?: object, page?: string}} options
 */
export async function start({ replicas, port, isVerbose, home, isDurable, prepare, programs, page }) {
  process.stdout.write(`\n  ${bold('Thaw')}\n\n`);
  // Processes left behind by a killed launcher may hold the port, so end them before the check of the port.
  await endOrphanedProcesses(home);
  await requireAvailablePort(port);
  const stack = new ThawStack({ replicas, port, home, isDurable, logStep, programs, page });
  const stopFollowing = isVerbose
    ? followLogs(listLogFiles(home, replicas), (line) => console.log(dim(line)))
    : () => {};
  let isStopping = false;
  const prepareAndStart = async () => {
    for (const step of prepare) if (!isStopping) await step(logStep);
    if (!isStopping) await stack.start();
  };
  const starting = prepareAndStart();
  const stopped = new Promise((resolve, reject) => {
    onInterruption({
      stop: () => {
        isStopping = true;
        process.stdout.write('\n');
        logStep('stopping', 'press Ctrl-C again to kill all processes');
        // Ends the installation, the build or the migrations, for which `starting` may be waiting.
        signalRunningPrograms('SIGTERM');
        // Ends the processes of the stack, for which `starting` may be waiting as well.
        stack.interrupt();
        // Wait until start-up has settled, so that no half-started process keeps running.
        starting
          .catch(() => {})
          .then(() => stack.stop())
          .then(resolve, reject);
      },
      kill: () => {
        stack.killNow();
        process.exit(1);
      },
    });
  });
  await starting.catch((error) => {
    // After an interruption, a failure of the start is expected. Otherwise the error ends the command; no process keeps
    // running, because `ThawStack.start` stops its processes when it fails.
    if (!isStopping) throw error;
  });
  if (!isStopping) printAddress(stack, home);
  await stopped;
  stopFollowing();
  logStep('stopped', 'all processes; the data is kept for the next start');
  process.exit(0);
}

function printAddress(stack, home) {
  const processes = [...stack.replicas, ...stack.workers].map(({ name }) => name).join(', ');
  logStep('running', stack.proxy ? `${processes}, behind nginx` : processes);
  logStep('logs', path.relative(process.cwd(), path.join(home, 'logs')) || '.');
  process.stdout.write(`\n${stack.url}\n\n`);
}

function listLogFiles(home, replicas) {
  const replicaNames = Array.from({ length: replicas }, (_, index) => `api-${index + 1}`);
  // `ThawStack` starts one worker by default.
  const names = [...replicaNames, 'worker-1', 'nginx', 'migrate'];
  return Object.fromEntries(
    names.map((name) => [name, path.join(ensurePrivateFolder(home, 'logs'), `${name}.log`)]),
  );
}

/**
 * Reads the options of the command. The port is that of `--port`, or of the environment variable PORT, or 8080.
 * @throws {LauncherError} for unknown options, and for numbers that are not integers or out of range
 */
export function readOptions(args, env = process.env) {
  const options = { replicas: { type: 'string' }, port: { type: 'string' }, verbose: { type: 'boolean' } };
  const { values } = parseOrExplain(args, options);
  return {
    replicas: parseWholeNumber('--replicas', values.replicas ?? '1', 1, MAX_REPLICAS),
    port: parseWholeNumber(
      values.port === undefined ? 'PORT' : '--port',
      values.port ?? (env.PORT || String(DEFAULT_PORT)),
      1,
      MAX_PORT,
    ),
    isVerbose: Boolean(values.verbose),
  };
}

function parseOrExplain(args, options) {
  try {
    return parseArgs({ args, options });
  } catch (error) {
    // Keep only the first sentence, which names the option; the rest of Node's message is advice on `--`.
    throw new LauncherError(
      `${error.message.split('. ')[0]}. Usage: npm start -- [--replicas N] [--port P] [--verbose]`,
    );
  }
}

function parseWholeNumber(name, text, min, max) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new LauncherError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}
