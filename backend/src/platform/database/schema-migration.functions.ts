import { DataSource } from 'typeorm';
import type { Environment } from '../../config/environment.config';
import { migrations } from '../../migrations/migration.registry';
import { dataSourceOptions } from './data-source.config';
import { grantToService } from './service-role.functions';

/** Any number, the same for every Thaw: the process that migrates holds it. */
const ADVISORY_LOCK = 7_284_610;

/**
 * Brings the schema up to date, under MIGRATE_DATABASE_URL where it is given, and grants the role of DATABASE_URL what
 * it needs. Any number of processes may do so at once: one works, the others wait for it.
 * @returns the names of the migrations that were run by this call.
 */
export const migrate = async (
  environment: Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'> & Partial<Environment>,
): Promise<string[]> => {
  const options = dataSourceOptions({
    ...environment,
    DATABASE_URL: environment.MIGRATE_DATABASE_URL ?? environment.DATABASE_URL,
  });
  const dataSource = new DataSource({
    ...options,
    poolSize: 2,
    migrations,
    // A migration may take as long as it needs; only the serving processes are in a hurry.
    extra: { connectionTimeoutMillis: 3_000, statement_timeout: 0, lock_timeout: 30_000 },
  });
  await dataSource.initialize();
  try {
    const lockHolder = dataSource.createQueryRunner();
    try {
      await lockHolder.query('SET lock_timeout = 0');
      await lockHolder.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
      const run = await dataSource.runMigrations({ transaction: 'each' });
      await grantToService(dataSource, environment.DATABASE_URL);
      return run.map(({ name }) => name);
    } finally {
      // Closing the connection gives the lock back, whatever state it is in.
      await lockHolder.release();
    }
  } finally {
    await dataSource.destroy();
  }
};
