import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const POLL_EVERY_MS = 25;

/** How a process has ended, and its whole output. */
export interface ProcessResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A server or an operator's command, run as in a deployment: `backend/dist/main.<role>.js`. */
export class ThawProcess {
  private readonly child: ChildProcess;
  private stdout = '';
  private stderr = '';
  /** Resolves when the process has exited. */
  readonly ended: Promise<ProcessResult>;

  constructor(
    role: 'api' | 'worker' | 'migrate' | 'moderators' | 'passwords',
    settings: Record<string, string>,
    args: readonly string[] = [],
  ) {
    const main = join(__dirname, '..', 'dist', `main.${role}.js`);
    this.child = spawn(process.execPath, ['--enable-source-maps', main, ...args], {
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (text: Buffer) => (this.stdout += text.toString()));
    this.child.stderr?.on('data', (text: Buffer) => (this.stderr += text.toString()));
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** The complete lines of the log so far, parsed. */
  get log(): Record<string, unknown>[] {
    const completeLines = this.stdout.split('\n').slice(0, -1);
    return completeLines
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /**
   * Waits until an api process serves requests.
   * @returns its public port, and its port for health and metrics.
   * @throws Error if the process ends first.
   */
  async waitUntilServing(): Promise<{ port: number; internalPort: number }> {
    const pattern = /Serving on port (\d+), health and metrics on (\d+)/;
    let hasEnded = false;
    void this.ended.then(() => (hasEnded = true));
    while (!hasEnded) {
      const ports = pattern.exec(this.stdout);
      if (ports) return { port: Number(ports[1]), internalPort: Number(ports[2]) };
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    }
    throw new Error(`The process ended before it served: ${this.stderr}`);
  }

  sendSignal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Kills the process, whatever its state. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
