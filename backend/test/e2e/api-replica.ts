import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { ThawProcess } from '../thaw-process';

/** Finds a port of 127.0.0.1 that no process uses. */
export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

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
