import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Complaint } from '../complaint.mjs';
import { howItEnded } from './logged-process.mjs';

/** Children to be killed when this process exits. */
const running = new Set();
process.on('exit', () => running.forEach((child) => endGroup(child, 'SIGKILL')));

/**
 * Runs a program and resolves when it has exited.
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options] cwd, env, uid, gid as for spawn; `input`: its stdin; `limitMs`: time after which it is ended;
 *   `logFile`: file for its output; `onOutput`: called with each chunk of output;
 *   `shownLines`: lines of output in the message of `mustRun`, 12 by default
 * @returns {Promise<{code: number | null, signal: string | null, output: string, isOverdue: boolean, error?: Error}>}
 */
export function runToEnd(command, args, options = {}) {
  const { cwd, env, uid, gid, input, limitMs, logFile, onOutput } = options;
  return new Promise((resolve) => {
    // In a process group of its own, so that its child processes can be ended with it.
    const child = spawn(command, args, { cwd, env, uid, gid, detached: true });
    running.add(child);
    const pieces = [];
    const log = logFile && fs.createWriteStream(prepared(logFile));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (piece) => {
        pieces.push(piece);
        onOutput?.(piece);
        log?.write(piece);
      });
    }
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
    let isOverdue = false;
    const timer =
      limitMs &&
      setTimeout(() => {
        isOverdue = true;
        endGroup(child, 'SIGTERM');
        setTimeout(() => endGroup(child, 'SIGKILL'), 5_000).unref();
      }, limitMs);
    const settle = (result) => {
      clearTimeout(timer);
      running.delete(child);
      log?.end();
      resolve({
        code: null,
        signal: null,
        isOverdue,
        output: Buffer.concat(pieces).toString('utf8'),
        ...result,
      });
    };
    child.once('error', (error) => settle({ error }));
    child.once('close', (code, signal) => settle({ code, signal }));
  });
}

/** Like `runToEnd`. @throws {Complaint} with the sentence and the last lines of output when the exit code is not 0 */
export async function mustRun(sentence, command, args, options) {
  const result = await runToEnd(command, args, options);
  if (result.code === 0) return result;
  const logNote = options?.logFile ? ` (all of it: ${options.logFile})` : '';
  const lines = result.output
    .trimEnd()
    .split('\n')
    .slice(-(options?.shownLines ?? 12))
    .join('\n');
  throw new Complaint(`${sentence}: ${howItEnded(result)}${logNote}.\n${lines}`.trimEnd());
}

/** Sends a signal to every program that `runToEnd` is running. */
export function signalRunning(signal) {
  for (const child of running) endGroup(child, signal);
}

function endGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

function prepared(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return file;
}
