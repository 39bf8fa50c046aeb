import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { ensureFolder, resolveInRepository } from '../../../../deploy/local/paths.mjs';
import { replicaNodeFlags } from '../../../../deploy/local/replica-node-flags.mjs';
import { ensurePostgresFolder } from '../../../../deploy/local/stores/postgres-folder.mjs';
import { describePostgres } from '../../../../deploy/local/stores/postgres.mjs';
import { PrivateStore } from '../../../../deploy/local/stores/private-store.mjs';
import { describeRedis } from '../../../../deploy/local/stores/redis.mjs';
import { deleteTemporaryHome, makeTemporaryHome } from '../../../../deploy/local/temporary-homes.mjs';
import { type Replica, type Stack, startStack } from '../../../../deploy/local/thaw-stack.mjs';
import type { Inspection } from '../inspect-process';
import type { Topology } from '../schedule';
import { type Clock, createClock } from './clock';
import { type Disk, createDisk } from './disk';
import { FaultyLink } from './faulty-link';
import { SupervisedStore } from './supervised-store';

const REPLICAS = 3;
const WORKERS = 2;
/**
 * Connections that PostgreSQL accepts: ten for the pool of each of the five processes, and 20 in reserve. The limit is
 * low, so that a fault can take all connections.
 */
const MAX_POSTGRES_CONNECTIONS = 70;
/** The `maxmemory` of Redis while it has no fault. */
export const REDIS_MAX_BYTES = 256 * 1024 * 1024;
const FILE_POLL_MS = 20;
/** Flags of Node with which a replica or worker can be inspected; see inspect-process.ts. */
const inspectionFlags = ['--expose-gc', '--require', path.join(__dirname, '..', 'inspect-process.js')];

export const topology: Topology = {
  replicas: Array.from({ length: REPLICAS }, (_, index) => `api-${index + 1}`),
  workers: Array.from({ length: WORKERS }, (_, index) => `worker-${index + 1}`),
};

/**
 * Three replicas and two workers behind nginx, and their stores. Every connection between two of these processes goes
 * through a link: a TCP proxy that can be made to fail.
 */
export class Cluster {
  /** Links by name: `<from>-><to>`, such as `api-1->redis`. */
  private readonly links = new Map<string, FaultyLink>();
  // `startProcesses` sets `redis`, both stores and `stack`. If it fails, some of them stay undefined.
  /** Connected directly to Redis, without a link, in order to cause faults and to read the final state. */
  redis!: Redis;
  redisStore!: SupervisedStore;
  postgresStore!: SupervisedStore;
  stack!: Stack;
  /** The file system of PostgreSQL's data, which a fault can fill. */
  readonly disk: Disk;
  /** The clock of one replica, which a fault can set wrong. */
  readonly clock: Clock;
  /** Folder for data, logs and secrets. */
  private readonly home = makeTemporaryHome();
  private readonly inspectionFolder = ensureFolder(this.home, 'inspections');

  private constructor() {
    this.disk = createDisk(ensurePostgresFolder(this.home));
    this.clock = createClock(path.join(this.home, 'clock'));
  }

  static async start(): Promise<Cluster> {
    const cluster = new Cluster();
    try {
      await cluster.startProcesses();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The public address of the service. */
  get url(): string {
    return `http://127.0.0.1:${this.getLink('clients->nginx').port}`;
  }

  get databaseUrl(): string {
    return this.postgresStore.url;
  }

  get redisFolder(): string {
    return path.join(this.home, 'redis');
  }

  /** Replicas and workers. */
  get processes(): Replica[] {
    return [...this.stack.replicas, ...this.stack.workers];
  }

  getLink(name: string): FaultyLink {
    const link = this.links.get(name);
    if (!link) throw new Error(`There is no link ${name}`);
    return link;
  }

  /** Runs `work` with a new connection to PostgreSQL that bypasses all links. */
  async withPostgres<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: this.databaseUrl, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined); // the server may close the connection
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /**
   * Forces a garbage collection in a replica or worker, and inspects the process; see inspect-process.ts.
   * @returns undefined when the process does not run, or does not write its inspection in time
   */
  async inspect({ pid }: Replica, withinMs = 10_000): Promise<Inspection | undefined> {
    if (pid === undefined) return undefined;
    const file = path.join(this.inspectionFolder, `${pid}.json`);
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Inspection;
      await sleep(FILE_POLL_MS);
    }
    return undefined;
  }

  /** Stops everything, also after a start that has failed halfway. */
  async stop(): Promise<void> {
    // The replicas and workers need working links to the stores while they stop.
    for (const link of this.links.values()) link.restore();
    await this.stack?.stop();
    this.redis?.disconnect();
    await Promise.all([this.redisStore?.close(), this.postgresStore?.close()]);
    for (const link of this.links.values()) await link.close();
    this.copyLogs();
    this.disk.unmount();
    await deleteTemporaryHome(this.home);
  }

  private async startProcesses(): Promise<void> {
    await this.startStores();
    const { port: redisPort } = this.redisStore;
    const { port: postgresPort } = this.postgresStore;
    for (const name of [...topology.replicas, ...topology.workers]) {
      await this.addLink(`${name}->redis`, redisPort);
      await this.addLink(`${name}->postgres`, postgresPort);
    }
    this.stack = await startStack({
      replicas: REPLICAS,
      workers: WORKERS,
      home: this.home,
      stores: { databaseUrl: this.databaseUrl, redisUrl: this.redisStore.url },
      // There is no cool-down between recent partners, because the same few users are matched again and again. The rate
      // limits are the wide ones for load tests.
      env: { REMATCH_COOLDOWN_S: '0', LOG_LEVEL: 'warn', LIMITS_PROFILE: 'load' },
      createSettings: (name) => this.createProcessSettings(name),
      // nginx connects to the ports of these links instead of those of the replicas.
      routeToReplicas: (ports) =>
        Promise.all(ports.map((port, index) => this.addLink(`nginx->api-${index + 1}`, port))),
      programs: {
        migrate: createNodeProgram([], 'migrate'),
        api: createNodeProgram([...inspectionFlags, ...replicaNodeFlags], 'api'),
        worker: createNodeProgram(inspectionFlags, 'worker'),
      },
    });
    await this.addLink('clients->nginx', this.stack.ports.page);
  }

  private async startStores(): Promise<void> {
    this.disk.mount();
    const postgresKind = describePostgres(this.home, {
      isDurable: false, // without fsync, because the faults kill PostgreSQL, but never its machine
      settings: { max_connections: MAX_POSTGRES_CONNECTIONS },
    });
    const logNothing = (): void => undefined;
    const postgres = new PrivateStore(this.home, postgresKind);
    const redis = new PrivateStore(this.home, describeRedis(this.home, logNothing));
    [this.postgresStore, this.redisStore] = await Promise.all([
      SupervisedStore.start(postgres),
      SupervisedStore.start(redis, () => this.limitRedisMemory(redis)),
    ]);
  }

  /** Runs after every start of Redis, because its configuration file does not contain the limit. */
  private async limitRedisMemory(store: PrivateStore): Promise<void> {
    const port = store.findRunning()?.port;
    if (port === undefined) throw new Error('Redis is not running');
    // Later starts use the connection of the first one, which reconnects.
    this.redis ??= connectToRedis(store.kind.buildUrl(port));
    await this.redis.config('SET', 'maxmemory', String(REDIS_MAX_BYTES));
  }

  /** @returns the port on which the link listens */
  private async addLink(name: string, targetPort: number): Promise<number> {
    const link = await FaultyLink.startTo({ host: '127.0.0.1', port: targetPort });
    this.links.set(name, link);
    return link.port;
  }

  /** Environment variables of one replica or worker, by its name. */
  private createProcessSettings(name: string): Record<string, string> {
    return {
      DATABASE_URL: this.getLink(`${name}->postgres`).routeUrl(this.databaseUrl),
      REDIS_URL: this.getLink(`${name}->redis`).routeUrl(this.redisStore.url),
      CHAOS_INSPECTIONS: this.inspectionFolder,
      // Only the last replica has a clock that a fault can shift.
      ...(name === topology.replicas.at(-1) ? this.clock.env : {}),
    };
  }

  /** Copies the logs to the folder THAW_STACK_LOGS of a test run, or next to the logs of `npm start`. */
  private copyLogs(): void {
    const logFolder = path.join(this.home, 'logs');
    const targetFolder = process.env.THAW_STACK_LOGS ?? resolveInRepository('.thaw', 'logs');
    if (existsSync(logFolder)) cpSync(logFolder, path.join(targetFolder, 'chaos'), { recursive: true });
  }
}

/** Faults kill Redis, so this connection reconnects, and its commands wait until it has reconnected. */
const connectToRedis = (url: string): Redis => {
  const redis = new Redis(url, { retryStrategy: () => 100, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  return redis;
};

/**
 * Runs Node without `--enable-source-maps`. With it, Node caches the source map of every file through which an error
 * has passed, up to some megabytes each, and the run would report this growth as a leak.
 */
const createNodeProgram = (flags: readonly string[], role: string) => ({
  command: process.execPath,
  args: [...flags, resolveInRepository('backend', 'dist', `main.${role}.js`)],
});
