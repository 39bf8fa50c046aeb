import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { replicaNodeFlags } from '../../../../deploy/local/replica-node-flags.mjs';

const READY_WITHIN_MS = 20_000;

export interface ServerDefinition {
  name: string;
  script: string;
  logFile: string;
  env: Record<string, string>;
  nodeFlags?: readonly string[];
}

interface ProgramDefinition {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
}

/** The running servers and the signal that ends each. */
const running = new Map<ChildProcess, NodeJS.Signals>();

/** Kills every server, on an interruption. */
export const killAllServers = (): void => {
  for (const [child, signal] of running) child.kill(signal);
};

/** A Node process whose costs are measured. Every contender runs with the Node flags of a replica. */
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

  /** Starts a process of the product. It is ready when its internal server reports so. */
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
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Starts a program that has child processes. It is ready when it answers HTTP. */
  static async startProgram(
    { name, command, args, env, logFile }: ProgramDefinition,
    origin: string,
  ): Promise<ServerProcess> {
    const log = openSync(logFile, 'a');
    const child = spawn(command, args, { env, stdio: ['ignore', log, log] });
    closeSync(log);
    // Ended with SIGTERM, because SIGKILL would leave its children running.
    const server = ServerProcess.register({ name }, child, 'SIGTERM');
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${name} ended:\n${readLogEnd(logFile)}`);
      if (await isAnswering(origin)) return server;
      if (Date.now() > deadline) throw new Error(`${name} is not ready:\n${readLogEnd(logFile)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private static register(
    { name }: Pick<ServerDefinition, 'name'>,
    child: ChildProcess,
    endSignal: NodeJS.Signals = 'SIGKILL',
  ): ServerProcess {
    running.set(child, endSignal);
    child.once('exit', () => running.delete(child));
    return new ServerProcess(name, child);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** CPU time of all its threads so far, in microseconds. */
  get cpuMicros(): number {
    return readCpuMicros(this.pid);
  }

  /** Anonymous memory (no files, no shared libraries), in bytes. */
  get ownMemoryBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024;
  }

  sendSignal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Stops the process: SIGTERM, and SIGKILL after `graceMs`; SIGKILL at once when that is 0. */
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
 * CPU time of a process in microseconds, from the scheduler's accounting (nanoseconds per thread): one tick of
 * /proc/<pid>/stat is as long as forty messages.
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

/** For error messages: log files are deleted with the run. */
const readLogEnd = (logFile: string): string => readFileSync(logFile, 'utf8').slice(-4_000);

const isReady = (internalPort: number): Promise<boolean> =>
  isAnswering(`http://127.0.0.1:${internalPort}/health/ready`, 200);

const isAnswering = async (url: string, status?: number): Promise<boolean> => {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return status === undefined || response.status === status;
  } catch {
    return false;
  }
};
