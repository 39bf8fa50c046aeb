import { Redis } from 'ioredis';
import { openStores } from '../../../../deploy/local/stores/stores.mjs';
import { endTemporaryHome, makeTemporaryHome } from '../../../../deploy/local/temporary-homes.mjs';

/** PostgreSQL and Redis for one contender only, in a temporary folder. Never the stores named by the environment. */
export class BenchStores {
  private constructor(
    readonly home: string,
    readonly databaseUrl: string,
    readonly redisUrl: string,
    readonly redis: Redis,
    private readonly close: () => Promise<void>,
  ) {}

  /** @param hasDatabase false: Redis only. */
  static async open({ hasDatabase }: { hasDatabase: boolean }): Promise<BenchStores> {
    const home = makeTemporaryHome();
    homes.add(home);
    // openStores starts PostgreSQL only when no address is given. Nothing connects to this one.
    const env = hasDatabase ? {} : { DATABASE_URL: 'postgresql:///none?host=/nowhere' };
    const stores = await openStores({ home, env });
    const { databaseUrl, redisUrl } = stores;
    return new BenchStores(home, databaseUrl, redisUrl, new Redis(redisUrl), () => stores.close());
  }

  /** CPU time of Redis so far, in microseconds. */
  async readRedisCpuMicros(): Promise<number> {
    const info = await this.redis.info('cpu');
    const readSeconds = (name: string): number =>
      Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
    return (readSeconds('used_cpu_user') + readSeconds('used_cpu_sys')) * 1_000_000;
  }

  async end(): Promise<void> {
    this.redis.disconnect();
    await this.close();
    await endTemporaryHome(this.home);
    homes.delete(this.home);
  }
}

const homes = new Set<string>();

/** Stops and deletes all stores that are still open, on an interruption. */
export const endAllStores = async (): Promise<void> => {
  for (const home of homes) await endTemporaryHome(home);
};
