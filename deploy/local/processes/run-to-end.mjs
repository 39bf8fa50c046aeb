import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { LauncherError } from '../launcher-error.mjs';
import { describeExit } from './logged-process.mjs';

/** Time between SIGTERM and SIGKILL for a program that exceeds its time limit. */
const KILL_DELAY_MS = 5_000;
const DEFAULT_SHOWN_LINES = 12;

/** Children that are running; they are killed when this process exits. */
const running = new Set();
process.on('exit', () => running.forEach((child) => signalGroup(child, 'SIGKILL')));

/**
 * Runs a program and resolves when it has exited.
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options] cwd, env, uid, gid as for spawn; `input`: its stdin; `limitMs`: time after which it gets
 * SIGTERM, and SIGKILL 5 s later; `logFile`: file for its output; `onOutput`: called with each chunk of output;
 * `shownLines`: number of lines of output in the message of `runOrThrow`, 12 by default
 * @returns {Promise<{code: number | null, signal: string | null, output: string, isOverdue: boolean, error?: Error}>}
 */
export function runToEnd(command, args, options = {}) {
  const { cwd, env, uid, gid, input, limitMs, logFile, onOutput } = options;
  return new Promise((resolve) => {
    // In a new process group, so that its child processes can be ended with it.
    const child = spawn(command, args, { cwd, env, uid, gid, detached: true });
    running.add(child);
    const chunks = [];
    const log = logFile && fs.createWriteStream(ensureParentFolder(logFile));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        chunks.push(chunk);
        onOutput?.(chunk);
        log?.write(chunk);
      });
    }
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
    let isOverdue = false;
    const timer =
      limitMs &&
      setTimeout(() => {
        isOverdue = true;
        signalGroup(child, 'SIGTERM');
        setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_DELAY_MS).unref();
      }, limitMs);
    const settle = (result) => {
      clearTimeout(timer);
      running.delete(child);
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
 * Like `runToEnd`.
 * @param {string} sentence  what has failed if the exit code is not 0, as in "The build failed"
 * @throws {LauncherError} with the sentence and the last lines of output when the exit code is not 0
 */
export async function runOrThrow(sentence, command, args, options) {
  const result = await runToEnd(command, args, options);
  if (result.code === 0) return result;
  const logNote = options?.logFile ? ` (full output: ${options.logFile})` : '';
  const lines = result.output
    .trimEnd()
    .split('\n')
    .slice(-(options?.shownLines ?? DEFAULT_SHOWN_LINES))
    .join('\n');
  throw new LauncherError(`${sentence}: ${describeExit(result)}${logNote}.\n${lines}`.trimEnd());
}

/** Sends a signal to every program that `runToEnd` is running. */
export function signalRunning(signal) {
  for (const child of running) signalGroup(child, signal);
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

function ensureParentFolder(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return file;
}
