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

  /** Sends a signal to the store and its child processes. */
  sendSignalToAll(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) sendSignalToTree(this.pid, signal);
  }

  /** Sends a signal to the store's main process. */
  sendSignal(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) process.kill(this.pid, signal);
  }

  /** Resolves when the store does not run. */
  async waitUntilGone(): Promise<void> {
    while (this.pid !== undefined) await sleep(PID_POLL_MS);
  }

  /** Runs `work`, for example on the files of the store. The store is not restarted before `work` has ended. */
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
      if (!this.isRestartPaused && this.pid === undefined) {
        try {
          await this.store.ensureRunning({ mustKeepPort: true });
          await this.onStart();
        } catch {
          // The store cannot start while its fault lasts (a full disk, for example). The next iteration retries.
        }
      }
      await sleep(WATCH_EVERY_MS);
    }
  }
}
