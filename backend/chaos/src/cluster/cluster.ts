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
import { endTemporaryHome, makeTemporaryHome } from '../../../../deploy/local/temporary-homes.mjs';
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
 * Five processes with a pool of ten connections each, and 20 in reserve. Kept low, so that a fault can exhaust them.
 */
const MAX_CONNECTIONS = 70;
export const REDIS_MAX_BYTES = 256 * 1024 * 1024;

export const topology: Topology = {
  replicas: Array.from({ length: REPLICAS }, (_, index) => `api-${index + 1}`),
  workers: Array.from({ length: WORKERS }, (_, index) => `worker-${index + 1}`),
};

/** Three replicas and two workers behind nginx, with a faulty proxy on every connection between processes. */
export class Cluster {
  readonly links = new Map<string, FaultyLink>();
  /** Bypasses all proxies. Faults are caused through it, and the checker reads through it. */
  redis!: Redis;
  redisStore!: SupervisedStore;
  postgresStore!: SupervisedStore;
  stack!: Stack;
  /** The file system of PostgreSQL's data, which a fault can fill. */
  readonly disk: Disk;
  /** The clock of one replica, which a fault can set wrong. */
  readonly clock: Clock;
  private readonly home = makeTemporaryHome();
  private readonly inspections = ensureFolder(this.home, 'inspections');

  private constructor() {
    this.disk = createDisk(ensurePostgresFolder(this.home));
    this.clock = createClock(path.join(this.home, 'clock'));
  }

  static async start(): Promise<Cluster> {
    const cluster = new Cluster();
    try {
      await cluster.start();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The public address of the service. */
  get url(): string {
    return `http://127.0.0.1:${this.link('clients->nginx').port}`;
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

  link(name: string): FaultyLink {
    const link = this.links.get(name);
    if (!link) throw new Error(`There is no link ${name}`);
    return link;
  }

  /** Runs `work` with a dedicated connection to PostgreSQL that bypasses all proxies. */
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
   * Forces a garbage collection in a process.
   * @returns its memory, open handles and collections; undefined on a timeout.
   */
  async inspect({ pid }: Replica, withinMs = 10_000): Promise<Inspection | undefined> {
    if (pid === undefined) return undefined;
    const file = path.join(this.inspections, `${pid}.json`);
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(20)) {
      if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Inspection;
    }
    return undefined;
  }

  async stop(): Promise<void> {
    for (const link of this.links.values()) link.restore();
    await this.stack?.stop();
    this.redis?.disconnect();
    await Promise.all([this.redisStore?.close(), this.postgresStore?.close()]);
    for (const link of this.links.values()) await link.close();
    this.copyLogs();
    this.disk.unmount();
    await endTemporaryHome(this.home);
  }

  private async start(): Promise<void> {
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
      env: { REMATCH_COOLDOWN_S: '0', LOG_LEVEL: 'warn', LIMITS_PROFILE: 'load' },
      createSettings: (name) => this.buildSettings(name),
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
    const settings = { max_connections: MAX_CONNECTIONS };
    // Without fsync: processes are killed, but never the machine.
    const postgres = new PrivateStore(this.home, describePostgres(this.home, { isDurable: false, settings }));
    const redis = new PrivateStore(
      this.home,
      describeRedis(this.home, () => undefined),
    );
    [this.postgresStore, this.redisStore] = await Promise.all([
      SupervisedStore.start(postgres, async () => undefined),
      SupervisedStore.start(redis, () => this.connectAndLimitRedis(redis)),
    ]);
  }

  /** Connects, and sets the limit on memory. Called after every start, because no configuration file contains it. */
  private async connectAndLimitRedis(store: PrivateStore): Promise<void> {
    const port = store.findRunning()?.port;
    if (port === undefined) throw new Error('Redis is not running');
    if (!this.redis) {
      this.redis = new Redis(store.kind.url(port), { retryStrategy: () => 100, maxRetriesPerRequest: null });
      this.redis.on('error', () => undefined); // Redis is killed and restarted as scheduled
    }
    await this.redis.config('SET', 'maxmemory', String(REDIS_MAX_BYTES));
  }

  private async addLink(name: string, port: number): Promise<number> {
    const link = await FaultyLink.startTo({ host: '127.0.0.1', port });
    this.links.set(name, link);
    return link.port;
  }

  private buildSettings(name: string): Record<string, string> {
    return {
      DATABASE_URL: this.link(`${name}->postgres`).routeUrl(this.databaseUrl),
      REDIS_URL: this.link(`${name}->redis`).routeUrl(this.redisStore.url),
      CHAOS_INSPECTIONS: this.inspections,
      // One replica only, so that its clock differs from those of the others.
      ...(name === topology.replicas.at(-1) ? this.clock.settings : {}),
    };
  }

  /** Copies the logs to the folder that a test run asks for, or next to those of `npm start`. */
  private copyLogs(): void {
    const logs = path.join(this.home, 'logs');
    const target = process.env.THAW_STACK_LOGS ?? resolveInRepository('.thaw', 'logs');
    if (existsSync(logs)) cpSync(logs, path.join(target, 'chaos'), { recursive: true });
  }
}

const inspectionFlags = ['--expose-gc', '--require', path.join(__dirname, '..', 'inspect-process.js')];

/**
 * Without `--enable-source-maps`: Node caches the source map of every file through which an error has passed, some
 * megabytes for a large one. It reads each map only once, but the growth would be reported as a leak.
 */
const createNodeProgram = (flags: readonly string[], role: string) => ({
  command: process.execPath,
  args: [...flags, resolveInRepository('backend', 'dist', `main.${role}.js`)],
});
