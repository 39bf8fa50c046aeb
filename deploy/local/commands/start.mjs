import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Complaint } from '../complaint.mjs';
import { bold, dim, say } from '../console.mjs';
import { localHome, privateFolder } from '../places.mjs';
import { followLogs } from '../processes/follow-log.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { endLeftovers } from '../processes/managed-process.mjs';
import { signalRunning } from '../processes/run-to-end.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { refuseTakenPort, ThawStack } from '../thaw-stack.mjs';

const DEFAULT_PORT = 8080;
const MOST_REPLICAS = 32;

/** `npm start [-- --replicas N] [--port P] [--verbose]` */
export async function main(args) {
  await start({ ...readOptions(args), prepare: [ensurePackages, build], home: localHome });
}

/**
 * Runs the preparing steps, starts the stack, prints its address, and runs until it is interrupted.
 * @param {{replicas: number, port: number, isVerbose: boolean, home: string,
 *   prepare: ((say: Function) => Promise<void>)[], isDurable?: boolean,
 *   programs?: object, page?: string}} options
 */
export async function start({ replicas, port, isVerbose, home, isDurable, prepare, programs, page }) {
  process.stdout.write(`\n  ${bold('Thaw')}\n\n`);
  // Before the port is checked: processes left behind by a killed launcher may hold it.
  await endLeftovers(home);
  await refuseTakenPort(port);
  const stack = new ThawStack({ replicas, port, home, isDurable, say, programs, page });
  const stopFollowing = isVerbose
    ? followLogs(logFiles(home, replicas), (line) => console.log(dim(line)))
    : () => {};
  let isStopping = false;
  const startUp = async () => {
    for (const step of prepare) if (!isStopping) await step(say);
    if (!isStopping) await stack.start();
  };
  const starting = startUp();
  const stopped = new Promise((resolve, reject) => {
    onInterruption({
      stop: () => {
        isStopping = true;
        process.stdout.write('\n');
        say('stopping', 'once more to end it at once');
        // Wait until start-up has settled, so that no half-started process is left behind.
        signalRunning('SIGTERM');
        stack.interrupt();
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
    if (!isStopping) throw error;
  });
  if (!isStopping) announce(stack, home);
  await stopped;
  stopFollowing();
  say('stopped', 'all of it; the data stays for the next start');
  process.exit(0);
}

function announce(stack, home) {
  const processes = [...stack.replicas, ...stack.workers].map(({ name }) => name).join(', ');
  say('running', stack.proxy ? `${processes}, behind nginx` : processes);
  say('logs', path.relative(process.cwd(), path.join(home, 'logs')) || '.');
  process.stdout.write(`\n${stack.url}\n\n`);
}

function logFiles(home, replicas) {
  const names = Array.from({ length: replicas }, (_, index) => `api-${index + 1}`);
  const all = [...names, 'worker-1', 'nginx', 'migrate'];
  return Object.fromEntries(all.map((name) => [name, path.join(privateFolder(home, 'logs'), `${name}.log`)]));
}

/** @throws {Complaint} for unknown options, and numbers that are not whole or out of range */
export function readOptions(args, env = process.env) {
  const options = { replicas: { type: 'string' }, port: { type: 'string' }, verbose: { type: 'boolean' } };
  const { values } = parsed(args, options);
  return {
    replicas: wholeNumber('--replicas', values.replicas ?? '1', 1, MOST_REPLICAS),
    port: wholeNumber(
      values.port ? '--port' : 'PORT',
      values.port ?? (env.PORT || String(DEFAULT_PORT)),
      1,
      65_535,
    ),
    isVerbose: Boolean(values.verbose),
  };
}

function parsed(args, options) {
  try {
    return parseArgs({ args, options });
  } catch (error) {
    throw new Complaint(
      `${error.message.split('. ')[0]}. Usage: npm start -- [--replicas N] [--port P] [--verbose]`,
    );
  }
}

function wholeNumber(name, text, least, most) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new Complaint(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
