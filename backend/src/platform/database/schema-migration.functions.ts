import { DataSource } from 'typeorm';
import type { Environment } from '../../config/environment.config';
import { migrations } from '../../migrations/migration.registry';
import { createDataSourceOptions } from './data-source.config';
import { grantToService } from './service-role.functions';

/** An arbitrary number, shared by all Thaw processes. The migrating process holds this lock. */
const ADVISORY_LOCK = 7_284_610;

/**
 * Runs the pending migrations, as MIGRATE_DATABASE_URL's role if given, and grants DATABASE_URL's role its privileges.
 * Safe to call from several processes at once: one migrates while the others wait.
 * @returns the names of the migrations run by this call.
 */
export const migrate = async (
  environment: Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'> & Partial<Environment>,
): Promise<string[]> => {
  const options = createDataSourceOptions({
    ...environment,
    DATABASE_URL: environment.MIGRATE_DATABASE_URL ?? environment.DATABASE_URL,
  });
  const dataSource = new DataSource({
    ...options,
    poolSize: 2,
    migrations,
    // Migrations have no statement time-out, unlike the serving processes.
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
      // Destroying the data source below closes the connection, which releases the lock in every case.
      await lockHolder.release();
    }
  } finally {
    await dataSource.destroy();
  }
};
