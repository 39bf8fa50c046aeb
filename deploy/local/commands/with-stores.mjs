import { spawn } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { localHome } from '../paths.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { openStores } from '../stores/stores.mjs';

/**
 * `with-stores.mjs -- <command>`: starts PostgreSQL and Redis, runs a command with DATABASE_URL and REDIS_URL set, and
 * exits with the exit code of the command.
 */
export async function main(args) {
  const [command, ...commandArgs] = args[0] === '--' ? args.slice(1) : args;
  if (!command) throw new LauncherError('The command to run is missing. Usage: with-stores.mjs -- <command>');
  // Progress goes to standard error, because standard output belongs to the command.
  const logStep = (label, text) => process.stderr.write(`${label}: ${text}\n`);
  await ensurePackages(logStep);
  const stores = await openStores({ home: localHome });
  try {
    const env = { ...process.env, DATABASE_URL: stores.databaseUrl, REDIS_URL: stores.redisUrl };
    process.exitCode = await runInForeground(command, commandArgs, env);
  } finally {
    await stores.close();
  }
}

/**
 * Runs a command that shares the terminal of this process.
 * @returns {Promise<number>} its exit code
 * @throws {LauncherError} when the command cannot be run
 */
export function runInForeground(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: 'inherit' });
    const stopListening = onInterruption({
      stop: (signal) => child.kill(signal),
      // Called when the user presses Ctrl-C again.
      kill: () => child.kill('SIGKILL'),
    });
    child.once('error', () => reject(new LauncherError(`${command} cannot be run.`)));
    child.once('exit', (code, signal) => {
      stopListening();
      // As in a shell: 128 plus the number of the signal.
      resolve(signal ? 128 + os.constants.signals[signal] : code);
    });
  });
}
