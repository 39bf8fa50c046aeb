import fs from 'node:fs';
import path from 'node:path';
import { spawnLogged, waitUntilReady } from '../processes/logged-process.mjs';
import { findFreePorts, findPortProblem } from '../processes/ports.mjs';
import { endProcess, isRunning } from '../processes/process-identity.mjs';

// Starts are retried: PostgreSQL cannot start until the shared memory of a killed PostgreSQL is released.
const START_ATTEMPTS = 3;
const RETRY_DELAY_MS = 500;

/**
 * @typedef {object} StoreKind
 * @property {string} name
 * @property {(port: number) => Promise<import('../processes/logged-process.mjs').ProcessDefinition>} prepare
 *   writes the files that the store needs and returns how to start it; called before every attempt to start it
 * @property {{signal: string, waitMs: number}[]} endSteps
 *   signals, sent in this order until the store has ended, each with the time to wait after it
 * @property {string} killSignal   ends the store and all its processes immediately
 */

/**
 * The PostgreSQL or Redis process of a home folder, which contains the data, logs and secrets of a local stack. The
 * process is recorded in a file of that folder, so that other launchers find it, even after the launcher that started
 * it was killed. Callers must hold the lock of the home folder.
 */
export class PrivateStore {
  /** @param {string} home @param {StoreKind} kind */
  constructor(home, kind) {
    this.kind = kind;
    this.recordFile = path.join(home, 'run', `${kind.name.toLowerCase()}.json`);
  }

  /** @returns {{process: import('../processes/process-identity.mjs').ProcessIdentity, port: number} | undefined} */
  findRunning() {
    const record = this.#readRecord();
    return isRunning(record?.process) ? record : undefined;
  }

  /**
   * Starts the store unless it runs, on its previous port if that port is free.
   * @param {{mustKeepPort?: boolean}} [options]  `mustKeepPort`: starts on the previous port only, because
   *   clients already use it
   * @returns {Promise<number>} the port of the store
   * @throws {import('../launcher-error.mjs').LauncherError} when the store does not start after several attempts
   */
  async ensureRunning({ mustKeepPort = false } = {}) {
    const running = this.findRunning();
    if (running) return running.port;
    const port = await this.#choosePort(mustKeepPort);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#start(port);
        return port;
      } catch (error) {
        if (attempt === START_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      }
    }
  }

  /** Stops the store gracefully and keeps its data. */
  async stop() {
    await endProcess(this.#readRecord()?.process, this.kind.endSteps);
  }

  /** Kills the store. */
  kill() {
    const running = this.findRunning();
    if (running) process.kill(running.process.pid, this.kind.killSignal);
  }

  async #start(port) {
    const definition = await this.kind.prepare(port);
    const started = spawnLogged(definition);
    // There is no identity if the process was not started or has already ended. `waitUntilReady` reports both.
    if (started.identity) this.#writeRecord({ process: started.identity, port });
    // The launcher may exit while other launchers still use the store.
    started.child.unref();
    try {
      await waitUntilReady(definition, started);
    } catch (error) {
      await endProcess(started.identity, this.kind.endSteps);
      throw error;
    }
  }

  async #choosePort(mustKeepPort) {
    const previousPort = this.#readRecord()?.port;
    if (previousPort && mustKeepPort) return previousPort; // if it is not free, the start fails
    if (previousPort && !(await findPortProblem(previousPort))) return previousPort;
    const [freePort] = await findFreePorts(1);
    return freePort;
  }

  #readRecord() {
    try {
      return JSON.parse(fs.readFileSync(this.recordFile, 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** Replaces the record in one step, so that no reader finds an incomplete record. */
  #writeRecord(record) {
    fs.mkdirSync(path.dirname(this.recordFile), { recursive: true });
    fs.writeFileSync(`${this.recordFile}.new`, JSON.stringify(record));
    fs.renameSync(`${this.recordFile}.new`, this.recordFile);
  }
}
