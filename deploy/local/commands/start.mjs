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
  const interruption = { hasBegun: false };
  const starting = prepareAndStart(stack, prepare, interruption);
  const stopped = stopOnInterruption(stack, starting, interruption);
  try {
    await starting;
  } catch (error) {
    // After an interruption, a failure of the start is expected. Otherwise the error ends the command. No process keeps
    // running, because `ThawStack.start` stops its processes when it fails.
    if (!interruption.hasBegun) throw error;
  }
  if (!interruption.hasBegun) printAddress(stack, home);
  await stopped;
  stopFollowing();
  logStep('stopped', 'all processes; the data is kept for the next start');
  process.exit(0);
}

/** After an interruption, begins no further step. */
async function prepareAndStart(stack, prepare, interruption) {
  for (const step of [...prepare, () => stack.start()]) {
    if (interruption.hasBegun) return;
    await step(logStep);
  }
}

/**
 * Stops the stack on the first Ctrl-C, and kills it on the second. Sets `interruption.hasBegun`.
 * @param {Promise<void>} starting resolves when the stack has started
 * @returns {Promise<void>} resolves when the stack has stopped
 */
function stopOnInterruption(stack, starting, interruption) {
  return new Promise((resolve, reject) => {
    onInterruption({
      stop: () => {
        interruption.hasBegun = true;
        process.stdout.write('\n');
        logStep('stopping', 'press Ctrl-C again to kill all processes');
        // `starting` may be waiting for programs (the installation, the build, the migrations) or for the processes of
        // the stack, so both are ended.
        signalRunningPrograms('SIGTERM');
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
    replicas: parseWholeNumber('--replicas', values.replicas ?? '1', MAX_REPLICAS),
    port: readPort(values.port, env),
    isVerbose: Boolean(values.verbose),
  };
}

function readPort(option, env) {
  if (option !== undefined) return parseWholeNumber('--port', option, MAX_PORT);
  return parseWholeNumber('PORT', env.PORT || String(DEFAULT_PORT), MAX_PORT);
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

function parseWholeNumber(name, text, max) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw new LauncherError(`${name} must be a whole number from 1 to ${max}, not "${text}".`);
}
