import { Redis } from 'ioredis';
import { type RedisCluster, startRedisCluster } from '../../../../deploy/local/stores/redis-cluster.mjs';
import { openStores } from '../../../../deploy/local/stores/stores.mjs';
import { deleteTemporaryHome, makeTemporaryHome } from '../../../../deploy/local/temporary-homes.mjs';

/** Home folders (data, logs and secrets) of the stores that are still open. */
const openHomes = new Set<string>();
/** Clusters that still run. Their data is not in a home folder. */
const openClusters = new Set<RedisCluster>();

/** `openStores` starts no PostgreSQL if it gets an address of one. Nothing connects to this address. */
const UNUSED_DATABASE_URL = 'postgresql:///none?host=/nowhere';

interface OpenedStores {
  home: string;
  databaseUrl: string;
  redisUrl: string;
  redis: Redis;
  cluster?: RedisCluster;
  close: () => Promise<void>;
}

/** PostgreSQL and Redis in a temporary folder. DATABASE_URL and REDIS_URL of the environment are ignored. */
export class BenchStores {
  readonly home: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** A connection to Redis; with a cluster, to the primary that holds the keys of matching. */
  readonly redis: Redis;
  private readonly cluster: RedisCluster | undefined;
  private readonly close: () => Promise<void>;

  private constructor(stores: OpenedStores) {
    this.home = stores.home;
    this.databaseUrl = stores.databaseUrl;
    this.redisUrl = stores.redisUrl;
    this.redis = stores.redis;
    this.cluster = stores.cluster;
    this.close = stores.close;
  }

  /** @param hasDatabase false for a Redis without PostgreSQL */
  static async open({ hasDatabase }: { hasDatabase: boolean }): Promise<BenchStores> {
    const home = makeTemporaryHome();
    openHomes.add(home);
    const env = hasDatabase ? {} : { DATABASE_URL: UNUSED_DATABASE_URL };
    const stores = await openStores({ home, env });
    const { databaseUrl, redisUrl } = stores;
    return new BenchStores({
      home,
      databaseUrl,
      redisUrl,
      redis: new Redis(redisUrl),
      close: () => stores.close(),
    });
  }

  /** Opens PostgreSQL and a Redis Cluster of three primaries without replicas. */
  static async openWithCluster(): Promise<BenchStores> {
    const home = makeTemporaryHome();
    openHomes.add(home);
    const cluster = await startRedisCluster({ hasReplicas: false });
    openClusters.add(cluster);
    const redisUrl = cluster.adminUrl;
    const stores = await openStores({ home, env: { REDIS_URL: redisUrl } });
    // All keys of matching have this hash tag, so one primary holds them.
    const { port } = await cluster.findPrimary('{matching}');
    return new BenchStores({
      home,
      databaseUrl: stores.databaseUrl,
      redisUrl,
      redis: new Redis({ port, password: parsePassword(redisUrl) }),
      cluster,
      close: async () => {
        await stores.close();
        await cluster.stop();
        openClusters.delete(cluster);
      },
    });
  }

  /** CPU time of all Redis processes so far, in microseconds. */
  async readRedisCpuMicros(): Promise<number> {
    const infos = this.cluster
      ? await Promise.all(this.cluster.nodes.map((node) => node.call('INFO', 'cpu')))
      : [await this.redis.info('cpu')];
    return infos.map((info) => parseCpuMicros(String(info))).reduce((sum, micros) => sum + micros, 0);
  }

  async end(): Promise<void> {
    this.redis.disconnect();
    await this.close();
    await deleteTemporaryHome(this.home);
    openHomes.delete(this.home);
  }
}

/** Parses `redis+cluster://<user>:<password>@<nodes>`, which `URL` cannot parse. */
const parsePassword = (redisUrl: string): string => /:([^:@]+)@/.exec(redisUrl)?.[1] ?? '';

/** Parses the reply to INFO cpu. */
const parseCpuMicros = (info: string): number => {
  const readSeconds = (name: string): number =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  return (readSeconds('used_cpu_user') + readSeconds('used_cpu_sys')) * 1_000_000;
};

/** For a run that is interrupted or fails: stops the clusters and deletes the homes that are still open. */
export const endAllStores = async (): Promise<void> => {
  for (const cluster of openClusters) await cluster.stop();
  for (const home of openHomes) await deleteTemporaryHome(home);
};
