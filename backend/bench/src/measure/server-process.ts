import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { replicaNodeFlags } from '../../../../deploy/local/replica-node-flags.mjs';

const READY_WITHIN_MS = 20_000;
const READY_POLL_MS = 100;

/** A server that is a script of Node. */
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

/** The running servers, each with the signal that `killAllServers` sends to it. */
const endSignals = new Map<ChildProcess, NodeJS.Signals>();

/** Ends all servers when a run of the benchmark is interrupted or fails. */
export const killAllServers = (): void => {
  for (const [child, signal] of endSignals) child.kill(signal);
};

/** A process whose costs are measured: a process of Thaw, a baseline, or another program such as nginx. */
export class ServerProcess {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {}

  /** Starts a baseline: a server with which Thaw is compared. It sends `{ port }` over IPC once it listens. */
  static async startBaseline(definition: ServerDefinition): Promise<{ server: ServerProcess; port: number }> {
    const server = ServerProcess.launch(toNodeProgram(definition), { hasIpc: true });
    return { server, port: await server.receivePort() };
  }

  /** Starts a process of Thaw, and waits until its health check on the internal port reports that it is ready. */
  static async startProduct(definition: ServerDefinition, internalPort: number): Promise<ServerProcess> {
    const server = ServerProcess.launch(toNodeProgram(definition));
    const healthUrl = `http://127.0.0.1:${internalPort}/health/ready`;
    await server.waitUntil(async () => (await fetchStatus(healthUrl)) === 200);
    return server;
  }

  /**
   * Starts another program, which may have child processes. Waits until it responds to HTTP requests at `origin`, with
   * any status.
   */
  static async startProgram(definition: ProgramDefinition, origin: string): Promise<ServerProcess> {
    // SIGKILL would leave the child processes running.
    const server = ServerProcess.launch(definition, { endSignal: 'SIGTERM' });
    await server.waitUntil(async () => (await fetchStatus(origin)) !== undefined);
    return server;
  }

  private static launch(
    { name, command, args, env, logFile }: ProgramDefinition,
    { hasIpc = false, endSignal = 'SIGKILL' }: { hasIpc?: boolean; endSignal?: NodeJS.Signals } = {},
  ): ServerProcess {
    const log = openSync(logFile, 'a');
    const stdio: StdioOptions = hasIpc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log];
    const child = spawn(command, args, { env, stdio });
    closeSync(log);
    endSignals.set(child, endSignal);
    child.once('exit', () => endSignals.delete(child));
    return new ServerProcess(name, child, logFile);
  }

  /** The process id; 0 when the process could not be started. Reading costs then fails: /proc has no process 0. */
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
   * Stops the process with SIGKILL. With a `graceMs`, sends SIGTERM first, and SIGKILL only after that time. Servers of
   * `startProgram` need a `graceMs`, within which they stop their child processes.
   */
  async stop(graceMs = 0): Promise<void> {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (graceMs > 0) this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  }

  /** Waits for the message `{ port }` of a baseline. */
  private receivePort(): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.createStartError('is not ready')), READY_WITHIN_MS);
      const onExit = () => {
        clearTimeout(timer);
        reject(this.createStartError('ended'));
      };
      this.child.once('exit', onExit);
      this.child.once('message', ({ port }: { port: number }) => {
        clearTimeout(timer);
        this.child.off('exit', onExit);
        resolve(port);
      });
    });
  }

  private async waitUntil(isReady: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      if (this.child.exitCode !== null) throw this.createStartError('ended');
      if (await isReady()) return;
      if (Date.now() > deadline) throw this.createStartError('is not ready');
      await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
    }
  }

  /** The error contains the end of the log, because log files are deleted after the run. */
  private createStartError(problem: string): Error {
    const logEnd = readFileSync(this.logFile, 'utf8').slice(-4_000);
    return new Error(`${this.name} ${problem}:\n${logEnd}`);
  }
}

/** Baselines run with the same Node flags as a process of Thaw. */
const toNodeProgram = ({ script, nodeFlags = [], ...rest }: ServerDefinition): ProgramDefinition => ({
  ...rest,
  command: process.execPath,
  args: [...replicaNodeFlags, ...nodeFlags, script],
});

/**
 * CPU time of a process so far, in microseconds, without threads that have ended. Read from the counters that the
 * scheduler keeps for every thread, in nanoseconds: the ticks of 10 ms in /proc/<pid>/stat are too coarse, because a
 * replica relays forty messages in one tick.
 * @throws Error when the process has ended
 */
export const readCpuMicros = (pid: number): number => {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [cpuTime] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      nanoseconds += Number(cpuTime);
    } catch {
      // The thread ended after the folder was listed.
    }
  }
  return nanoseconds / 1_000;
};

/** @returns the status of the response; undefined if there is no response */
const fetchStatus = async (url: string): Promise<number | undefined> => {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
};
