import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { prepareProductEnvironment } from '../../../deploy/local/product-environment.mjs';
import { findFreePorts } from '../../../deploy/local/processes/ports.mjs';
import { ServerProcess } from './measure/server-process';
import { runToEnd } from './measure/run-to-end';
import { BenchStores } from './measure/stores';

/** Time that the worker has for a graceful stop before it is killed. */
const WORKER_GRACE_MS = 5_000;

/** A compiled backend: that of this checkout, or that of another checkout to compare with. */
export interface Build {
  /** Name in the results table. */
  name: string;
  /** Folder of the compiled backend. */
  folder: string;
}

export const ourBuild: Build = { name: 'thaw', folder: path.resolve(__dirname, '../../dist') };

/** @param checkout folder of a built checkout, whose commit becomes the name of the build */
const findBuild = (checkout: string): Build => {
  const folder = path.resolve(checkout, 'backend/dist');
  if (!existsSync(path.join(folder, 'main.api.js'))) {
    throw new Error(`BENCH_SERVICE names ${checkout}, which is no built checkout of this repository`);
  }
  const commit = execFileSync('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  return { name: `commit ${commit.trim()}`, folder };
};

/** The builds to compare ours with. BENCH_SERVICE contains the folders of their checkouts, separated by commas. */
const comparedBuilds: readonly Build[] = (process.env.BENCH_SERVICE ?? '')
  .split(',')
  .filter((checkout) => checkout !== '')
  .map(findBuild);

/**
 * Loads a module of our build, so that the bench runs the compiled code of the service and not a copy in the bench.
 * @param modulePath path in the folder of the build, without an extension
 */
export const requireBuilt = <Module>(modulePath: string): Module =>
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  require(path.join(ourBuild.folder, modulePath)) as Module;

interface ServiceOptions {
  replicas: number;
  /** Default: our build. */
  build?: Build;
  /** Default: true. */
  hasWorker?: boolean;
  /** Flags of Node for all processes, in addition to those of a replica in production. */
  nodeFlags?: readonly string[];
  /** Environment variables of all processes. */
  env?: Record<string, string>;
  /** Redis address of each replica, such as a proxy that counts publications. Default: the Redis of the stores. */
  redisUrls?: readonly string[];
}

const findFreePort = async (): Promise<number> => {
  const [port = 0] = await findFreePorts(1);
  return port;
};

export interface Replica {
  server: ServerProcess;
  port: number;
  origin: string;
}

/**
 * The processes of one build, set up as in production: a migrated database, api replicas (without a proxy in front of
 * them) and a worker. Rate limits are those of the profile `load`, which is for load tests.
 */
export class Service {
  readonly replicas: Replica[] = [];
  worker: ServerProcess | undefined;

  private constructor(
    private readonly stores: BenchStores,
    private readonly options: ServiceOptions,
  ) {}

  static async start(stores: BenchStores, options: ServiceOptions): Promise<Service> {
    const service = new Service(stores, options);
    mkdirSync(service.logFolder, { recursive: true });
    await runToEnd(
      process.execPath,
      [path.join(service.buildFolder, 'main.migrate.js')],
      service.createEnvironment({}),
    );
    const { replicas, hasWorker = true } = options;
    for (let index = 0; index < replicas; index += 1)
      service.replicas.push(await service.startReplica(index, await findFreePort()));
    if (hasWorker) await service.startWorker();
    return service;
  }

  get origins(): string[] {
    return this.replicas.map(({ origin }) => origin);
  }

  async startWorker(): Promise<void> {
    this.worker = await this.startProcess('worker-1', 'main.worker.js', {});
  }

  async stopWorker(): Promise<void> {
    await this.worker?.stop(WORKER_GRACE_MS);
    this.worker = undefined;
  }

  /** Restarts a replica that has ended, on the same port. `replicas` then holds the new process in its place. */
  async restart(replica: Replica): Promise<void> {
    const index = this.replicas.indexOf(replica);
    this.replicas[index] = await this.startReplica(index, replica.port);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.replicas.map(({ server }) => server.stop()), this.worker?.stop()]);
    // The folder of the stores, which contains the logs, is deleted with the stores.
    cpSync(this.logFolder, path.resolve(__dirname, 'raw/logs'), { recursive: true });
  }

  private get buildFolder(): string {
    return (this.options.build ?? ourBuild).folder;
  }

  private get logFolder(): string {
    return path.join(this.stores.home, 'logs');
  }

  private async startReplica(index: number, port: number): Promise<Replica> {
    const redisUrl = this.options.redisUrls?.[index];
    const server = await this.startProcess(`api-${index + 1}`, 'main.api.js', {
      HOST: '127.0.0.1',
      PORT: port,
      ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    });
    return { server, port, origin: `http://127.0.0.1:${port}` };
  }

  private async startProcess(
    name: string,
    script: string,
    ownEnv: Record<string, string | number>,
  ): Promise<ServerProcess> {
    const internalPort = await findFreePort();
    return ServerProcess.startProduct(
      {
        name,
        script: path.join(this.buildFolder, script),
        logFile: path.join(this.logFolder, `${name}.log`),
        env: this.createEnvironment({ ...ownEnv, REPLICA_ID: name, INTERNAL_PORT: internalPort }),
        nodeFlags: this.options.nodeFlags,
      },
      internalPort,
    );
  }

  /** @param ownEnv environment variables that only this process gets */
  private createEnvironment(ownEnv: Record<string, string | number>): Record<string, string> {
    const { home, databaseUrl, redisUrl } = this.stores;
    return prepareProductEnvironment({
      home,
      stores: { databaseUrl, redisUrl },
      stackSettings: { LIMITS_PROFILE: 'load', ...this.options.env },
      settings: ownEnv,
    });
  }
}

/** The running processes of a build, with stores that no other build uses. */
export interface RunningBuild {
  name: string;
  stores: BenchStores;
  service: Service;
}

/**
 * Starts our build and every build of BENCH_SERVICE.
 * @param ourOptions options that only our build gets, such as those for CPU profiles
 * @returns the running builds, ours first
 */
export const startBuilds = async (
  options: Omit<ServiceOptions, 'build'>,
  ourOptions: Pick<ServiceOptions, 'nodeFlags' | 'env'> = {},
): Promise<RunningBuild[]> => {
  const running: RunningBuild[] = [];
  try {
    for (const build of [ourBuild, ...comparedBuilds]) {
      const stores = await BenchStores.open({ hasDatabase: true });
      const buildOptions = build === ourBuild ? { ...options, ...ourOptions } : options;
      const service = await Service.start(stores, { ...buildOptions, build });
      running.push({ name: build.name, stores, service });
    }
  } catch (error) {
    await stopBuilds(running);
    throw error;
  }
  return running;
};

export const stopBuilds = async (running: readonly RunningBuild[]): Promise<void> => {
  await Promise.all(running.map(({ service }) => service.stop()));
  for (const { stores } of running) await stores.end();
};
