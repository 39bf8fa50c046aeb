import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateStore } from '../../../../deploy/local/stores/private-store.mjs';
import { sendSignalToTree } from './process-tree';

const WATCH_EVERY_MS = 200;
const PID_POLL_MS = 20;

/** A PostgreSQL or Redis of this run only, which is restarted on its port when it dies. */
export class SupervisedStore {
  private isRestartPaused = false;
  private isClosed = false;
  /** Resolves when `watch` has ended. */
  private watchEnd: Promise<void> | undefined;

  private constructor(
    private readonly store: PrivateStore,
    readonly port: number,
    private readonly onStart: () => Promise<void>,
  ) {}

  /** @param onStart called after every start, including the first one */
  static async start(
    store: PrivateStore,
    onStart: () => Promise<void> = async () => undefined,
  ): Promise<SupervisedStore> {
    const port = await store.ensureRunning();
    const supervised = new SupervisedStore(store, port, onStart);
    await onStart();
    supervised.watchEnd = supervised.watch();
    return supervised;
  }

  get url(): string {
    return this.store.kind.buildUrl(this.port);
  }

  /** Process id of the store; undefined while the store does not run. */
  get pid(): number | undefined {
    return this.store.findRunning()?.process.pid;
  }

  /** Sends a signal to the main process of the store and all its child processes. */
  sendSignalToTree(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid !== undefined) sendSignalToTree(pid, signal);
  }

  /** Sends a signal to the main process of the store only. */
  sendSignal(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid !== undefined) process.kill(pid, signal);
  }

  /** Resolves when the store has ended. */
  async waitUntilEnded(): Promise<void> {
    while (this.pid !== undefined) await sleep(PID_POLL_MS);
  }

  /** Does not restart the store while `work` runs, so that `work` can change the files of the store. */
  async withoutRestarts<Result>(work: () => Promise<Result>): Promise<Result> {
    this.isRestartPaused = true;
    try {
      return await work();
    } finally {
      this.isRestartPaused = false;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.watchEnd;
    await this.store.stop();
  }

  private async watch(): Promise<void> {
    while (!this.isClosed) {
      const hasDied = this.pid === undefined;
      if (hasDied && !this.isRestartPaused) await this.tryToRestart();
      await sleep(WATCH_EVERY_MS);
    }
  }

  private async tryToRestart(): Promise<void> {
    try {
      await this.store.ensureRunning({ mustKeepPort: true });
      await this.onStart();
    } catch {
      // The store cannot start while its fault lasts, for example a full disk. `watch` tries again.
    }
  }
}
