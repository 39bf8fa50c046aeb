import { ThawProcess } from '../thaw-process';

/** An api process on a fixed port, so that it can be started again for the same clients. */
export class ApiReplica {
  private process: ThawProcess | undefined;

  constructor(
    private readonly settings: Record<string, string>,
    readonly port: number,
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.process = new ThawProcess('api', { ...this.settings, PORT: String(this.port) });
    await this.process.waitUntilServing();
  }

  async kill(): Promise<void> {
    await this.process?.kill();
  }
}
