import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateStore } from '../../../../deploy/local/stores/private-store.mjs';
import { sendSignalToTree } from './process-tree';

const WATCH_MS = 200;

/** A private PostgreSQL or Redis that is restarted on its port when it dies. */
export class SupervisedStore {
  private isRestartPaused = false;
  private isClosed = false;
  private watching: Promise<void> | undefined;

  private constructor(
    private readonly store: PrivateStore,
    readonly port: number,
    private readonly onStart: () => Promise<void>,
  ) {}

  /** @param onStart called after every start, including the first one */
  static async start(store: PrivateStore, onStart: () => Promise<void>): Promise<SupervisedStore> {
    const port = await store.ensureRunning();
    const supervised = new SupervisedStore(store, port, onStart);
    await onStart();
    supervised.watching = supervised.watch();
    return supervised;
  }

  get url(): string {
    return this.store.kind.url(this.port);
  }

  get pid(): number | undefined {
    return this.store.findRunning()?.process.pid;
  }

  /** Sends a signal to the store and its child processes. */
  sendSignalToAll(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) sendSignalToTree(this.pid, signal);
  }

  /** Sends a signal to the store's main process. */
  sendSignal(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) process.kill(this.pid, signal);
  }

  /** Resolves when the store's process is gone. */
  async waitUntilGone(): Promise<void> {
    while (this.pid !== undefined) await sleep(20);
  }

  /** Runs `work` on the files of the store, which is not restarted meanwhile. */
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
    await this.watching;
    await this.store.stop();
  }

  private async watch(): Promise<void> {
    while (!this.isClosed) {
      if (!this.isRestartPaused && this.pid === undefined) {
        try {
          await this.store.ensureRunning({ mustKeepPort: true });
          await this.onStart();
        } catch {
          // It cannot start while its fault lasts (a full disk, for example). The next iteration retries.
        }
      }
      await sleep(WATCH_MS);
    }
  }
}
