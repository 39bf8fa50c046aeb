import fs from 'node:fs';
import path from 'node:path';
import { spawnLogged, untilReady } from '../processes/logged-process.mjs';
import { freePorts, portProblem } from '../processes/ports.mjs';
import { endProcess, isRunning } from '../processes/process-identity.mjs';

const ATTEMPTS = 3;

/**
 * @typedef {object} StoreKind
 * @property {string} name
 * @property {(port: number) => Promise<import('../processes/logged-process.mjs').ProcessDefinition>} define
 *   makes everything ready on disk and says what to start; called once per start
 * @property {{signal: string, waitMs: number}[]} endSteps
 * @property {string} killSignal   ends it at once, and all of it
 */

/**
 * A store that runs for a home folder. Which process that is stands in a record under the home, so any launcher of
 * the same home finds it: one that starts while another already runs, or after another was killed.
 * Callers hold the home's lock around every method.
 */
export class PrivateStore {
  /** @param {string} home @param {StoreKind} kind */
  constructor(home, kind) {
    this.kind = kind;
    this.recordFile = path.join(home, 'run', `${kind.name.toLowerCase()}.json`);
  }

  /** The record of the process that runs now, or undefined. */
  running() {
    const record = this.#record();
    return isRunning(record?.process) ? record : undefined;
  }

  /**
   * Starts it unless it runs; resolves with its port, which stays the same from start to start if it can.
   * @param {{onSamePort?: boolean}} [options]  on the same port or not at all: others hold its address
   * @throws {import('../complaint.mjs').Complaint}
   */
  async ensureRunning({ onSamePort = false } = {}) {
    const running = this.running();
    if (running) return running.port;
    const port = await this.#choosePort(onSamePort);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#start(port);
        return port;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        // After a kill, PostgreSQL's memory is let go of a moment later than its main process.
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  /** Ends it in order; its data stays. */
  async stop() {
    await endProcess(this.#record()?.process, this.kind.endSteps);
  }

  /** Ends it at once. */
  kill() {
    const running = this.running();
    if (running) process.kill(running.process.pid, this.kind.killSignal);
  }

  async #start(port) {
    const definition = await this.kind.define(port);
    const started = spawnLogged(definition);
    if (started.identity) this.#write({ process: started.identity, port });
    started.child.unref();
    try {
      await untilReady(definition, started);
    } catch (error) {
      await endProcess(started.identity, this.kind.endSteps);
      throw error;
    }
  }

  async #choosePort(onSamePort) {
    const before = this.#record()?.port;
    if (before && (onSamePort || !(await portProblem(before)))) return before;
    return (await freePorts(1))[0];
  }

  #record() {
    try {
      return JSON.parse(fs.readFileSync(this.recordFile, 'utf8'));
    } catch {
      return undefined;
    }
  }

  #write(record) {
    fs.mkdirSync(path.dirname(this.recordFile), { recursive: true });
    fs.writeFileSync(`${this.recordFile}.new`, JSON.stringify(record));
    fs.renameSync(`${this.recordFile}.new`, this.recordFile);
  }
}
