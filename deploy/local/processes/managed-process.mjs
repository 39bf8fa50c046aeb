import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Complaint } from '../complaint.mjs';
import { howItEnded, spawnLogged, untilReady } from './logged-process.mjs';
import { endProcess, identify, isRunning, signalProcess } from './process-identity.mjs';

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
const RAN_WELL_MS = 10_000;

/** Processes of this launcher. They are killed when it exits; only SIGKILL of the launcher leaves them running. */
const alive = new Set();
process.on('exit', () => alive.forEach((managed) => managed.kill('SIGKILL')));

/**
 * A process of the product that the launcher starts, restarts and stops. Its identity is recorded under the home, so
 * that the next launcher finds the processes of one that was killed.
 */
export class ManagedProcess {
  #definition;
  #isKeptRunning;
  #onRestart;
  #recordFile;
  #started;
  #startedAt = 0;
  #delayMs = FIRST_DELAY_MS;
  #timer;
  #isStopping = false;

  /**
   * @param {import('./logged-process.mjs').ProcessDefinition & {endSteps: {signal: string, waitMs: number}[]}} definition
   * @param {{home: string, isKeptRunning?: boolean, onRestart?: (sentence: string) => void}} options
   */
  constructor(definition, { home, isKeptRunning = true, onRestart = () => {} }) {
    this.#definition = definition;
    this.#isKeptRunning = isKeptRunning;
    this.#onRestart = onRestart;
    this.#recordFile = path.join(recordsFolder(home), `${process.pid}-${definition.name}.json`);
  }

  get name() {
    return this.#definition.name;
  }

  get logFile() {
    return this.#definition.logFile;
  }

  /** The pid of the running process, or undefined. */
  get pid() {
    return isRunning(this.#started?.identity) ? this.#started.identity.pid : undefined;
  }

  /**
   * Starts the process and resolves when it is ready.
   * @param {{command: string, args: string[]}} [program]  program to run from now on, such as another build
   * @throws {Complaint} when the process exits first, or is not ready in time
   */
  async start(program) {
    this.#definition = { ...this.#definition, ...program };
    this.#isStopping = false;
    const started = this.#spawn();
    await untilReady(this.#definition, started);
    // From here on an exit is a fault and restarts the process; before, `untilReady` reports it to the caller.
    void started.exited.then((end) => this.#onEnd(started, end));
  }

  /** Resolves when the current process is ready. @throws {Complaint} when it is stopped first */
  async untilReady() {
    while (!(this.pid && (await this.#definition.isReady().catch(() => false)))) {
      if (this.#isStopping) throw new Complaint(`${this.name} was stopped.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Sends a signal, as a fault injected from outside: a process that dies of it is restarted without back-off. */
  kill(signal = 'SIGKILL') {
    this.#delayMs = FIRST_DELAY_MS;
    signalProcess(this.#started?.identity, signal);
  }

  /** Disables restarts and, if given, sends a signal; does not wait for the process to exit. */
  retire(signal) {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    if (signal) this.kill(signal);
  }

  /** Disables restarts, ends the process, and resolves when it is gone. */
  async stop() {
    this.retire(undefined);
    await endProcess(this.#started?.identity, this.#definition.endSteps);
    this.#forget();
  }

  #spawn() {
    const started = spawnLogged(this.#definition);
    this.#started = started;
    this.#startedAt = Date.now();
    alive.add(this);
    if (started.identity) {
      fs.mkdirSync(path.dirname(this.#recordFile), { recursive: true });
      fs.writeFileSync(
        this.#recordFile,
        JSON.stringify({ owner: identify(process.pid), process: started.identity }),
      );
    }
    return started;
  }

  #onEnd(started, end) {
    if (this.#isStopping || started !== this.#started) return;
    this.#forget();
    if (!this.#isKeptRunning) return;
    if (Date.now() - this.#startedAt > RAN_WELL_MS) this.#delayMs = FIRST_DELAY_MS;
    this.#onRestart(`${this.name} ended (${howItEnded(end)}) and is started again`);
    this.#timer = setTimeout(() => {
      const again = this.#spawn();
      void again.exited.then((nextEnd) => this.#onEnd(again, nextEnd));
    }, this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
  }

  #forget() {
    alive.delete(this);
    fs.rmSync(this.#recordFile, { force: true });
  }
}

/** Ends the processes recorded under this home whose launcher no longer runs. */
export async function endLeftovers(home) {
  const folder = recordsFolder(home);
  if (!fs.existsSync(folder)) return;
  await Promise.all(
    fs.readdirSync(folder).map(async (name) => {
      const file = path.join(folder, name);
      const record = readRecord(file);
      if (isRunning(record?.owner)) return;
      const steps = [
        { signal: 'SIGTERM', waitMs: 5_000 },
        { signal: 'SIGKILL', waitMs: 2_000 },
      ];
      await endProcess(record?.process, steps);
      fs.rmSync(file, { force: true });
    }),
  );
}

const recordsFolder = (home) => path.join(home, 'run', 'processes');

function readRecord(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
