import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { LauncherError } from '../launcher-error.mjs';
import { describeExit } from './logged-process.mjs';

/** Time between SIGTERM and SIGKILL for a program that exceeds its time limit. */
const KILL_DELAY_MS = 5_000;
/** Number of lines of output in the message of `runOrThrow`. */
const DEFAULT_SHOWN_LINES = 12;

/** The process group of each child is killed when this process exits. */
const runningChildren = new Set();
process.on('exit', () => runningChildren.forEach((child) => signalGroup(child, 'SIGKILL')));

/**
 * Runs a program and resolves when it has exited.
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options]
 *   `cwd`, `env`, `uid`, `gid`: as for spawn; `input`: text for its standard input; `limitMs`: time after which the
 *   program gets SIGTERM, and `KILL_DELAY_MS` later SIGKILL; `logFile`: file to which its output is written;
 *   `onOutput`: called with each chunk of output
 * @returns {Promise<{code: number | null, signal: string | null, output: string, isOverdue: boolean, error?: Error}>}
 *   `isOverdue`: whether the program exceeded `limitMs`; `error`: why the program could not be started
 */
export function runToEnd(command, args, options = {}) {
  const { cwd, env, uid, gid, input, limitMs, logFile, onOutput } = options;
  return new Promise((resolve) => {
    // The child gets its own process group, so that its own children can be ended together with it.
    const child = spawn(command, args, { cwd, env, uid, gid, detached: true });
    runningChildren.add(child);
    const chunks = [];
    const log = logFile && fs.createWriteStream(ensureParentFolder(logFile));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        chunks.push(chunk);
        onOutput?.(chunk);
        log?.write(chunk);
      });
    }
    // A program may exit without reading its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
    let isOverdue = false;
    const endOverdueProgram = () => {
      isOverdue = true;
      signalGroup(child, 'SIGTERM');
      // This timer is never cleared: the program may exit on SIGTERM while its own children ignore the signal.
      setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_DELAY_MS).unref();
    };
    const timer = limitMs && setTimeout(endOverdueProgram, limitMs);
    const settle = (result) => {
      clearTimeout(timer);
      runningChildren.delete(child);
      log?.end();
      resolve({
        code: null,
        signal: null,
        isOverdue,
        output: Buffer.concat(chunks).toString('utf8'),
        ...result,
      });
    };
    child.once('error', (error) => settle({ error }));
    child.once('close', (code, signal) => settle({ code, signal }));
  });
}

/**
 * Like `runToEnd`, but throws if the program fails. `options.shownLines`: number of lines of output in the message.
 * @param {string} failure  beginning of the error message, such as "The build failed"
 * @throws {LauncherError} with `failure` and the last lines of output when the exit code is not 0
 */
export async function runOrThrow(failure, command, args, options = {}) {
  const { logFile, shownLines = DEFAULT_SHOWN_LINES } = options;
  const result = await runToEnd(command, args, options);
  if (result.code === 0) return result;
  const logNote = logFile ? ` (full output: ${logFile})` : '';
  const lines = result.output.trimEnd().split('\n').slice(-shownLines).join('\n');
  throw new LauncherError(`${failure}: ${describeExit(result)}${logNote}.\n${lines}`.trimEnd());
}

/** Sends a signal to every program that `runToEnd` is running. */
export function signalRunningPrograms(signal) {
  for (const child of runningChildren) signalGroup(child, signal);
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process group does not exist, for example because the spawn failed.
    child.kill(signal);
  }
}

function ensureParentFolder(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return file;
}
