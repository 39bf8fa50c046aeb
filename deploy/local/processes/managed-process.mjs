import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { describeExit, spawnLogged, waitUntilReady } from './logged-process.mjs';
import { endProcess, identify, isRunning, signalProcess } from './process-identity.mjs';

/** Delay before the first restart. It is doubled for each further one, up to `LONGEST_DELAY_MS`. */
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** A process that has run longer than this is restarted after `FIRST_DELAY_MS` again. */
const RESET_DELAY_AFTER_MS = 10_000;
const READINESS_POLL_MS = 50;
/** How processes left behind by a killed launcher are ended. */
const ORPHAN_END_STEPS = [
  { signal: 'SIGTERM', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];

/** The processes of this launcher, which kills them when it exits, unless it is itself killed by SIGKILL. */
const runningProcesses = new Set();
process.on('exit', () => runningProcesses.forEach((managed) => managed.kill('SIGKILL')));

/**
 * A process that the launcher starts, restarts and stops: nginx, Vite or a process of the product. Its identity is
 * recorded in a file under the home folder, so that the next launcher can end the process if this one was killed.
 */
export class ManagedProcess {
  #definition;
  /** False if an exit never causes a restart. */
  #shouldRestart;
  #onRestart;
  #recordFile;
  /** The latest process, running or not. */
  #current;
  #currentStartedAt = 0;
  #delayMs = FIRST_DELAY_MS;
  #restartTimer;
  /** Set by `disableRestarts`, until the next `start`. */
  #areRestartsDisabled = false;

  /**
   * @param {import('./logged-process.mjs').ProcessDefinition & {endSteps: {signal: string, waitMs: number}[]}}
   *   definition
   * @param {{home: string, shouldRestart?: boolean, onRestart?: (message: string) => void}} options
   */
  constructor(definition, { home, shouldRestart = true, onRestart = () => {} }) {
    this.#definition = definition;
    this.#shouldRestart = shouldRestart;
    this.#onRestart = onRestart;
    this.#recordFile = path.join(getRecordsFolder(home), `${process.pid}-${definition.name}.json`);
  }

  get name() {
    return this.#definition.name;
  }

  get logFile() {
    return this.#definition.logFile;
  }

  /** The pid of the running process, or undefined. */
  get pid() {
    return isRunning(this.#current?.identity) ? this.#current.identity.pid : undefined;
  }

  /**
   * Starts the process and resolves when it is ready.
   * @param {{command: string, args: string[]}} [program]  program to run from now on, such as another build
   * @throws {LauncherError} when the process exits first, or is not ready in time
   */
  async start(program) {
    this.#definition = { ...this.#definition, ...program };
    this.#areRestartsDisabled = false;
    const started = this.#spawn();
    await waitUntilReady(this.#definition, started);
    // Only now: an exit before the process is ready makes `waitUntilReady` throw and causes no restart.
    this.#handleExitOf(started);
  }

  /**
   * Resolves when the process, or the one that replaces it, is ready. Waits without a limit.
   * @throws {LauncherError} when it is stopped first
   */
  async waitUntilReady() {
    for (;;) {
      if (this.pid && (await this.#definition.isReady().catch(() => false))) return;
      if (this.#areRestartsDisabled) throw new LauncherError(`${this.name} was stopped.`);
      await new Promise((resolve) => setTimeout(resolve, READINESS_POLL_MS));
    }
  }

  /** Sends a signal, SIGKILL by default. If the process dies, it is restarted after the shortest delay. */
  kill(signal = 'SIGKILL') {
    this.#delayMs = FIRST_DELAY_MS;
    signalProcess(this.#current?.identity, signal);
  }

  /** Disables restarts until the next `start`. The process keeps running. */
  disableRestarts() {
    this.#areRestartsDisabled = true;
    clearTimeout(this.#restartTimer);
  }

  /** Disables restarts, ends the process, and resolves when the process is gone. */
  async stop() {
    this.disableRestarts();
    await endProcess(this.#current?.identity, this.#definition.endSteps);
    this.#removeRecord();
  }

  #spawn() {
    const started = spawnLogged(this.#definition);
    this.#current = started;
    this.#currentStartedAt = Date.now();
    runningProcesses.add(this);
    // There is no identity if the process could not be started or has already ended. `exited` reports how.
    if (started.identity) {
      fs.mkdirSync(path.dirname(this.#recordFile), { recursive: true });
      fs.writeFileSync(
        this.#recordFile,
        JSON.stringify({ owner: identify(process.pid), process: started.identity }),
      );
    }
    return started;
  }

  #handleExitOf(started) {
    void started.exited.then((exit) => {
      // The exit of a stopped process may be reported after `start` has started the next one.
      if (started !== this.#current) return;
      if (this.#areRestartsDisabled) return; // `stop` removes the record
      this.#removeRecord();
      if (this.#shouldRestart) this.#scheduleRestart(exit);
    });
  }

  #scheduleRestart(exit) {
    if (Date.now() - this.#currentStartedAt > RESET_DELAY_AFTER_MS) this.#delayMs = FIRST_DELAY_MS;
    this.#onRestart(`${this.name} ended (${describeExit(exit)}) and is restarted`);
    this.#restartTimer = setTimeout(() => this.#handleExitOf(this.#spawn()), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
  }

  #removeRecord() {
    runningProcesses.delete(this);
    fs.rmSync(this.#recordFile, { force: true });
  }
}

/** Ends the processes recorded under this home folder whose launcher no longer runs. */
export async function endOrphanedProcesses(home) {
  const folder = getRecordsFolder(home);
  if (!fs.existsSync(folder)) return;
  await Promise.all(
    fs.readdirSync(folder).map(async (name) => {
      const file = path.join(folder, name);
      const record = readRecord(file);
      if (isRunning(record?.owner)) return;
      await endProcess(record?.process, ORPHAN_END_STEPS);
      fs.rmSync(file, { force: true });
    }),
  );
}

/** The folder of the records `<pid of the launcher>-<name>.json`. */
const getRecordsFolder = (home) => path.join(home, 'run', 'processes');

function readRecord(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    // The launcher was killed while it wrote the record, or another launcher has deleted the record.
    return undefined;
  }
}
