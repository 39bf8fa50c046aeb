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
 * Runs the pending migrations with the role of MIGRATE_DATABASE_URL if it is set, otherwise with that of DATABASE_URL.
 * Gives the role of DATABASE_URL its privileges and time-outs.
 * Safe to call from several processes at once: one migrates while the others wait.
 * @returns the names of the migrations run by this call.
 */
export const migrate = async (
  environment: Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'> &
    Partial<Pick<Environment, 'MIGRATE_DATABASE_URL' | 'DATABASE_PREPARED_STATEMENTS'>>,
): Promise<string[]> => {
  const options = createDataSourceOptions({
    ...environment,
    DATABASE_URL: environment.MIGRATE_DATABASE_URL ?? environment.DATABASE_URL,
  });
  const dataSource = new DataSource({
    ...options,
    poolSize: 2, // one connection holds the lock, the other one migrates
    migrations,
    // A migration may take as long as it needs, but its waits for a lock are limited, because statements of the service
    // queue behind a waiting lock.
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
      // A killed rebuild of the read models may have left its copies.
      await dropTableCopies(dataSource);
      const executed = await dataSource.runMigrations({ transaction: 'each' });
      await grantToService(dataSource, environment.DATABASE_URL);
      await setServiceTimeouts(environment);
      return executed.map(({ name }) => name);
    } finally {
      // Destroying the data source below closes the connection, which releases the lock in every case.
      await lockHolder.release();
    }
  } finally {
    await dataSource.destroy();
  }
};

/**
 * Polls for the lock instead of waiting in one statement. An index that is created concurrently waits for every older
 * statement, so the process that migrates and a process that waits for it would wait for each other.
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

/** Sets the time-outs for the role of the service: a transaction pooler refuses them as parameters of a connection. */
const setServiceTimeouts = async (
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
