import { Redis } from 'ioredis';
import { openStores } from '../../../../deploy/local/stores/stores.mjs';
import { endTemporaryHome, makeTemporaryHome } from '../../../../deploy/local/temporary-homes.mjs';

/** PostgreSQL and Redis of one contender alone, in a folder that goes with them. Never those of the environment. */
export class BenchStores {
  private constructor(
    readonly home: string,
    readonly databaseUrl: string,
    readonly redisUrl: string,
    readonly redis: Redis,
    private readonly close: () => Promise<void>,
  ) {}

  /** @param hasDatabase false: Redis alone. */
  static async open({ hasDatabase }: { hasDatabase: boolean }): Promise<BenchStores> {
    const home = makeTemporaryHome();
    homes.add(home);
    const env = hasDatabase ? {} : { DATABASE_URL: 'postgresql:///none?host=/nowhere' };
    const stores = await openStores({ home, env });
    const { databaseUrl, redisUrl } = stores;
    return new BenchStores(home, databaseUrl, redisUrl, new Redis(redisUrl), () => stores.close());
  }

  /** CPU time of Redis so far, in microseconds. */
  async redisCpuMicros(): Promise<number> {
    const info = await this.redis.info('cpu');
    const seconds = (name: string): number =>
      Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
    return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000_000;
  }

  async end(): Promise<void> {
    this.redis.disconnect();
    await this.close();
    await endTemporaryHome(this.home);
    homes.delete(this.home);
  }
}

const homes = new Set<string>();

/** Ends and deletes all that is still open, as after an interruption. */
export const endAllStores = async (): Promise<void> => {
  for (const home of homes) await endTemporaryHome(home);
};
