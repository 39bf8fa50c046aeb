import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { replicaNodeFlags } from '../../../../deploy/local/replica-node-flags.mjs';

const READY_WITHIN_MS = 20_000;
const READY_POLL_MS = 100;

export interface ServerDefinition {
  name: string;
  script: string;
  logFile: string;
  env: Record<string, string>;
  /** Flags of Node in addition to those that every server gets. */
  nodeFlags?: readonly string[];
}

interface ProgramDefinition {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
}

/** The servers that run, and the signal that ends each. */
const endSignals = new Map<ChildProcess, NodeJS.Signals>();

/** Ends all servers when a run of the benchmark is interrupted. */
export const killAllServers = (): void => {
  for (const [child, signal] of endSignals) child.kill(signal);
};

/**
 * A process whose costs are measured: a process of Thaw, a baseline that it is compared with, or another program such
 * as nginx. Baselines run with the same Node flags as a replica of Thaw.
 */
export class ServerProcess {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts a baseline, which sends `{ port }` over IPC once it listens. */
  static async startBaseline(definition: ServerDefinition): Promise<{ server: ServerProcess; port: number }> {
    const { script, env, nodeFlags = [], logFile } = definition;
    const log = openSync(logFile, 'a');
    const child = fork(script, {
      env,
      execArgv: [...replicaNodeFlags, ...nodeFlags],
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const server = ServerProcess.register(definition, child);
    const port = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${definition.name} is not ready`)), READY_WITHIN_MS);
      child.once('exit', () => reject(new Error(`${definition.name} ended:\n${readLogEnd(logFile)}`)));
      child.once('message', (message: { port: number }) => {
        clearTimeout(timer);
        resolve(message.port);
      });
    });
    return { server, port };
  }

  /** Starts a process of Thaw, and waits until its health check on the internal port reports that it is ready. */
  static async startProduct(definition: ServerDefinition, internalPort: number): Promise<ServerProcess> {
    const { script, env, nodeFlags = [], logFile } = definition;
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, [...replicaNodeFlags, ...nodeFlags, script], {
      env,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const server = ServerProcess.register(definition, child);
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${definition.name} ended:\n${readLogEnd(logFile)}`);
      if (await isReady(internalPort)) return server;
      if (Date.now() > deadline) throw new Error(`${definition.name} is not ready:\n${readLogEnd(logFile)}`);
      await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
    }
  }

  /** Starts a program that has child processes, and waits until it responds to HTTP requests at `origin`. */
  static async startProgram(
    { name, command, args, env, logFile }: ProgramDefinition,
    origin: string,
  ): Promise<ServerProcess> {
    const log = openSync(logFile, 'a');
    const child = spawn(command, args, { env, stdio: ['ignore', log, log] });
    closeSync(log);
    // SIGKILL would leave the child processes running.
    const server = ServerProcess.register({ name }, child, 'SIGTERM');
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${name} ended:\n${readLogEnd(logFile)}`);
      if (await isResponding(origin)) return server;
      if (Date.now() > deadline) throw new Error(`${name} is not ready:\n${readLogEnd(logFile)}`);
      await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
    }
  }

  private static register(
    { name }: Pick<ServerDefinition, 'name'>,
    child: ChildProcess,
    endSignal: NodeJS.Signals = 'SIGKILL',
  ): ServerProcess {
    endSignals.set(child, endSignal);
    child.once('exit', () => endSignals.delete(child));
    return new ServerProcess(name, child);
  }

  /** The process id; 0, which /proc does not contain, when the process could not be started. */
  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** CPU time of the process so far, in microseconds, without threads that have ended. */
  get cpuMicros(): number {
    return readCpuMicros(this.pid);
  }

  /** Anonymous memory (no files, no shared libraries), in bytes. */
  get anonymousMemoryBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024;
  }

  sendSignal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /**
   * Stops the process with SIGTERM, and with SIGKILL after `graceMs`; with SIGKILL at once when `graceMs` is 0. A
   * server of `startProgram` needs a `graceMs`, within which it stops its child processes.
   */
  async stop(graceMs = 0): Promise<void> {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (graceMs > 0) this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  }
}

/**
 * CPU time of a process so far, in microseconds, from the account that the scheduler keeps for every thread in
 * nanoseconds. Threads that have ended are not included. The ticks of 10 ms in /proc/<pid>/stat are too coarse: in that
 * time a replica relays forty messages.
 * @throws Error when the process has ended
 */
export const readCpuMicros = (pid: number): number => {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const account = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      nanoseconds += Number(account.slice(0, account.indexOf(' ')));
    } catch {
      // The thread ended after the folder was listed.
    }
  }
  return nanoseconds / 1_000;
};

/** Reads the end of a log for an error message, because log files are deleted after the run. */
const readLogEnd = (logFile: string): string => readFileSync(logFile, 'utf8').slice(-4_000);

const isReady = (internalPort: number): Promise<boolean> =>
  isResponding(`http://127.0.0.1:${internalPort}/health/ready`, 200);

/** @param status the only status that counts as a response; every status does when it is undefined */
const isResponding = async (url: string, status?: number): Promise<boolean> => {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return status === undefined || response.status === status;
  } catch {
    return false;
  }
};
