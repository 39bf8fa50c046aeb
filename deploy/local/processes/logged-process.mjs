import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { identify } from './process-identity.mjs';

/** A larger log file is renamed to `<file>.old` before the next start. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** Number of log lines that an error message quotes. */
const TAIL_LINES = 12;
const DEFAULT_READY_WITHIN_MS = 60_000;
// After each readiness check, the pause grows by the factor `PAUSE_GROWTH`, up to `LONGEST_PAUSE_MS`.
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;
const PAUSE_GROWTH = 1.5;

/**
 * @typedef {object} ProcessDefinition
 * @property {string} name         for logs and error messages: "api-1", "PostgreSQL"
 * @property {string} command
 * @property {string[]} args
 * @property {string} logFile      its output is appended to this file
 * @property {Record<string, string>} [env]
 * @property {string} [cwd]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {number} [umask]      mask for the modes of the files it creates; that of the launcher by default
 * @property {() => Promise<boolean>} isReady   polled until it resolves to true
 * @property {number} [readyWithinMs]           60 s by default
 */

/**
 * Starts a process in a new process group, so that Ctrl-C reaches only the launcher, which then stops the processes in
 * the right order. Output goes directly to the log file, so the process can continue when the launcher is killed.
 * @param {ProcessDefinition} definition
 * @returns `child`; `exited`: a promise of how the child exited; `identity`: undefined if the spawn failed;
 *   `logOffset`: size of the log file before the start, in bytes
 */
export function spawnLogged(definition) {
  const { command, args, env, cwd, uid, gid, umask, logFile } = definition;
  const log = openLog(logFile);
  const logOffset = fs.fstatSync(log).size;
  // A child inherits the umask of this process, so change it during the spawn.
  const previousUmask = umask === undefined ? undefined : process.umask(umask);
  try {
    const child = spawn(command, args, { env, cwd, uid, gid, detached: true, stdio: ['ignore', log, log] });
    const exited = new Promise((resolve) => {
      child.once('error', (error) => resolve({ error }));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    // Read immediately: later the process may have exited and its pid may have been reused.
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    return { child, exited, identity, logOffset };
  } finally {
    if (previousUmask !== undefined) process.umask(previousUmask);
    fs.closeSync(log);
  }
}

/**
 * Resolves when the process is ready.
 * @param {ProcessDefinition} definition
 * @param {ReturnType<typeof spawnLogged>} started
 * @throws {LauncherError} with the last lines of its log, when the process exits first or is not ready in time
 */
export async function waitUntilReady(definition, started) {
  let exit; // undefined while the process runs
  void started.exited.then((result) => (exit = result));
  const createError = (sentence) => new LauncherError(appendLogTail(sentence, definition, started));
  const deadline = Date.now() + (definition.readyWithinMs ?? DEFAULT_READY_WITHIN_MS);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS)) {
    // A check that fails, for example because the process does not listen yet, counts as not ready.
    if (await definition.isReady().catch(() => false)) return;
    if (exit) throw createError(`${definition.name} did not start: ${describeExit(exit)}.`);
    if (Date.now() > deadline) throw createError(`${definition.name} is not ready.`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Reads the last `TAIL_LINES` lines of a log file, ignoring its first `offset` bytes. */
export function readLogTail(logFile, offset = 0) {
  if (!fs.existsSync(logFile)) return '';
  const text = fs.readFileSync(logFile).subarray(offset).toString('utf8');
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

/** Describes how a process ended, as in "exit code 1". */
export function describeExit({ error, code, signal }) {
  if (error) return error.message;
  return signal ? `ended by ${signal}` : `exit code ${code}`;
}

/** Completes an error message with the last lines that the process has logged since its start. */
function appendLogTail(sentence, { logFile }, { logOffset }) {
  const tail = readLogTail(logFile, logOffset);
  return tail ? `${sentence} Last lines of ${logFile}:\n${tail}` : `${sentence} Its log is ${logFile}.`;
}

function openLog(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (fs.existsSync(file) && fs.statSync(file).size > MAX_LOG_BYTES) fs.renameSync(file, `${file}.old`);
  return fs.openSync(file, 'a');
}
