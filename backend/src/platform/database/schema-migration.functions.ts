import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import type { Environment } from '../../config/environment.config';
import { migrations } from '../../migrations/migration.registry';
import { createDataSourceOptions, requestTimeouts } from './data-source.config';
import { buildRoleTimeoutsSql } from './database-timeouts.functions';
import { MIGRATION_LOCK } from './migration-lock.config';
import { grantToService } from './service-role.functions';
import { dropTableCopies } from './table-copy.repository';

const TRY_LOCK_EVERY_MS = 100;

/**
 * Runs the pending migrations, as MIGRATE_DATABASE_URL's role if given, and grants DATABASE_URL's role its privileges
 * and time-outs.
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
    // Migrations may take as long as they need, whatever the time-outs of their role.
    extra: {
      connectionTimeoutMillis: 3_000,
      options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=30s',
    },
  });
  await dataSource.initialize();
  try {
    const lockHolder = dataSource.createQueryRunner();
    try {
      await waitForLock(lockHolder);
      // Left by a rebuild that was killed.
      await dropTableCopies(dataSource);
      const run = await dataSource.runMigrations({ transaction: 'each' });
      await grantToService(dataSource, environment.DATABASE_URL);
      await limitServiceStatements(environment);
      return run.map(({ name }) => name);
    } finally {
      // Destroying the data source below closes the connection, which releases the lock in every case.
      await lockHolder.release();
    }
  } finally {
    await dataSource.destroy();
  }
};

/**
 * Tries again and again instead of waiting in one statement: an index that is built concurrently waits for every older
 * statement, so the process that migrates and those that wait for it would wait for each other.
 */
const waitForLock = async (lockHolder: QueryRunner): Promise<void> => {
  const tryLock = async (): Promise<boolean> => {
    const [row] = (await lockHolder.query('SELECT pg_try_advisory_lock($1) AS "isTaken"', [
      MIGRATION_LOCK,
    ])) as { isTaken: boolean }[];
    return row?.isTaken === true;
  };
  while (!(await tryLock())) await delay(TRY_LOCK_EVERY_MS);
};

/** Gives the role of the service its time-outs: a transaction pooler accepts none of them with a connection. */
const limitServiceStatements = async (
  environment: Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>,
): Promise<void> => {
  const service = new DataSource({ ...createDataSourceOptions(environment), poolSize: 1 });
  await service.initialize();
  try {
    const [row] = await service.query<{ name: string }[]>('SELECT current_database() AS name');
    await service.query(buildRoleTimeoutsSql(service.driver.escape(row?.name ?? ''), requestTimeouts));
  } finally {
    await service.destroy();
  }
};
