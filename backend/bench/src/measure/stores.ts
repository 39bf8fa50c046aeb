import { Redis } from 'ioredis';
import { type RedisCluster, startRedisCluster } from '../../../../deploy/local/stores/redis-cluster.mjs';
import { openStores } from '../../../../deploy/local/stores/stores.mjs';
import { deleteTemporaryHome, makeTemporaryHome } from '../../../../deploy/local/temporary-homes.mjs';

/** Home folders and clusters of the stores that are still open. */
const openHomes = new Set<string>();
const openClusters = new Set<RedisCluster>();

/** PostgreSQL and Redis in a temporary folder. DATABASE_URL and REDIS_URL of the environment are ignored. */
export class BenchStores {
  private constructor(
    readonly home: string,
    readonly databaseUrl: string,
    readonly redisUrl: string,
    readonly redis: Redis,
    private readonly close: () => Promise<void>,
    private readonly cluster?: RedisCluster,
  ) {}

  /** @param hasDatabase false for a Redis without PostgreSQL */
  static async open({ hasDatabase }: { hasDatabase: boolean }): Promise<BenchStores> {
    const home = makeTemporaryHome();
    openHomes.add(home);
    // `openStores` starts no PostgreSQL when it gets an address of one. Nothing connects to this address.
    const env = hasDatabase ? {} : { DATABASE_URL: 'postgresql:///none?host=/nowhere' };
    const stores = await openStores({ home, env });
    const { databaseUrl, redisUrl } = stores;
    return new BenchStores(home, databaseUrl, redisUrl, new Redis(redisUrl), () => stores.close());
  }

  /**
   * Opens PostgreSQL and a Redis Cluster of three primaries without replicas. `redis` is connected to the primary that
   * holds the keys of matching.
   */
  static async openWithCluster(): Promise<BenchStores> {
    const home = makeTemporaryHome();
    openHomes.add(home);
    const cluster = await startRedisCluster({ hasReplicas: false });
    openClusters.add(cluster);
    const stores = await openStores({ home, env: { REDIS_URL: cluster.adminUrl } });
    const { port } = await cluster.findPrimary('{matching}');
    // The address is `redis+cluster://<user>:<password>@<nodes>`, which `URL` cannot parse.
    const password = /:([^:@]+)@/.exec(cluster.adminUrl)?.[1] ?? '';
    const close = async () => {
      await stores.close();
      await cluster.stop();
      openClusters.delete(cluster);
    };
    const redis = new Redis({ port, password });
    return new BenchStores(home, stores.databaseUrl, cluster.adminUrl, redis, close, cluster);
  }

  /** CPU time of all Redis processes so far, in microseconds. */
  async readRedisCpuMicros(): Promise<number> {
    const infos = this.cluster
      ? await Promise.all(this.cluster.nodes.map((node) => node.call('INFO', 'cpu')))
      : [await this.redis.info('cpu')];
    return infos.reduce<number>((sum, info) => sum + parseCpuMicros(String(info)), 0);
  }

  async end(): Promise<void> {
    this.redis.disconnect();
    await this.close();
    await deleteTemporaryHome(this.home);
    openHomes.delete(this.home);
  }
}

const parseCpuMicros = (info: string): number => {
  const readSeconds = (name: string): number =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  return (readSeconds('used_cpu_user') + readSeconds('used_cpu_sys')) * 1_000_000;
};

/** Stops the clusters and deletes the homes that are still open, when a run is interrupted or fails. */
export const endAllStores = async (): Promise<void> => {
  for (const cluster of openClusters) await cluster.stop();
  for (const home of openHomes) await deleteTemporaryHome(home);
};
