import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { productEnvironment } from '../../../deploy/local/product-environment.mjs';
import { freePorts } from '../../../deploy/local/processes/ports.mjs';
import { ServerProcess } from './measure/server-process';
import type { BenchStores } from './measure/stores';
import { runToEnd } from './measure/run-to-end';

/** The built service; BENCH_SERVICE names another build of it to measure, or to compare with. */
export const serviceFolder = process.env.BENCH_SERVICE ?? path.resolve(__dirname, '../../dist');

/** A module of the built service. */
export const requireBuilt = <Module>(name: string): Module =>
  // The service is loaded as it was built, not compiled into the bench.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  require(path.join(serviceFolder, name)) as Module;

interface ServiceOptions {
  replicas: number;
  hasWorker?: boolean;
  nodeFlags?: readonly string[];
  env?: Record<string, string>;
  /** Where each replica finds Redis, if not at the stores' own address. */
  redisUrls?: readonly string[];
}

/** The service as it runs: migrated, `load` limits, replicas without a proxy, a worker. */
export class Service {
  readonly replicas: { server: ServerProcess; origin: string }[] = [];
  worker: ServerProcess | undefined;

  private constructor(
    private readonly stores: BenchStores,
    private readonly options: ServiceOptions,
  ) {}

  static async start(stores: BenchStores, options: ServiceOptions): Promise<Service> {
    const service = new Service(stores, options);
    mkdirSync(service.logs, { recursive: true });
    await runToEnd(process.execPath, [path.join(serviceFolder, 'main.migrate.js')], service.environment({}));
    for (let index = 0; index < options.replicas; index += 1) await service.addReplica(index);
    if (options.hasWorker ?? true) await service.startWorker();
    return service;
  }

  get origins(): string[] {
    return this.replicas.map(({ origin }) => origin);
  }

  async startWorker(): Promise<void> {
    this.worker = await this.startProcess('worker-1', 'main.worker.js', {});
  }

  async stopWorker(): Promise<void> {
    await this.worker?.stop(5_000);
    this.worker = undefined;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.replicas.map(({ server }) => server.stop()), this.worker?.stop()]);
    cpSync(this.logs, path.resolve(__dirname, 'raw/logs'), { recursive: true });
  }

  private get logs(): string {
    return path.join(this.stores.home, 'logs');
  }

  private async addReplica(index: number): Promise<void> {
    const [port = 0] = await freePorts(1);
    const redisUrl = this.options.redisUrls?.[index];
    const server = await this.startProcess(`api-${index + 1}`, 'main.api.js', {
      HOST: '127.0.0.1',
      PORT: port,
      ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    });
    this.replicas.push({ server, origin: `http://127.0.0.1:${port}` });
  }

  private async startProcess(
    name: string,
    script: string,
    settings: Record<string, string | number>,
  ): Promise<ServerProcess> {
    const [internalPort = 0] = await freePorts(1);
    return ServerProcess.startProduct(
      {
        name,
        script: path.join(serviceFolder, script),
        logFile: path.join(this.logs, `${name}.log`),
        env: this.environment({ ...settings, REPLICA_ID: name, INTERNAL_PORT: internalPort }),
        nodeFlags: this.options.nodeFlags,
      },
      internalPort,
    );
  }

  private environment(settings: Record<string, string | number>): Record<string, string> {
    const { home, databaseUrl, redisUrl } = this.stores;
    const given = { LIMITS_PROFILE: 'load', ...this.options.env };
    return productEnvironment({ home, stores: { databaseUrl, redisUrl }, given, settings });
  }
}
