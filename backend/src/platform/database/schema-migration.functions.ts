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

type ServiceSettings = Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>;
type MigrationSettings = ServiceSettings &
  Partial<Pick<Environment, 'MIGRATE_DATABASE_URL' | 'DATABASE_PREPARED_STATEMENTS'>>;

/**
 * Runs the pending migrations with the role of MIGRATE_DATABASE_URL if it is set, otherwise with that of DATABASE_URL.
 * Gives the role of DATABASE_URL its privileges and time-outs.
 * Safe to call from several processes at once: one migrates while the others wait.
 * @returns the names of the migrations run by this call.
 */
export const migrate = async (environment: MigrationSettings): Promise<string[]> => {
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
      // This only returns the connection to the pool. `destroy`, below, closes it, which releases the lock.
      await lockHolder.release();
    }
  } finally {
    await dataSource.destroy();
  }
};

/**
 * Polls for the lock instead of waiting for it in one statement. A migration that creates an index concurrently waits
 * for all older statements to end, so it would never end if another process waited for it in such a statement.
 */
const waitForLock = async (lockHolder: QueryRunner): Promise<void> => {
  const tryLock = async (): Promise<boolean> => {
    const [row] = (await lockHolder.query('SELECT pg_try_advisory_lock($1) AS "hasLock"', [
      MIGRATION_LOCK,
    ])) as { hasLock: boolean }[];
    return row?.hasLock === true;
  };
  while (!(await tryLock())) await delay(TRY_LOCK_EVERY_MS);
};

/** Sets the time-outs for the role of the service: a transaction pooler refuses them as parameters of a connection. */
const setServiceTimeouts = async (environment: ServiceSettings): Promise<void> => {
  const service = new DataSource({ ...createDataSourceOptions(environment), poolSize: 1 });
  await service.initialize();
  try {
    const [row] = await service.query<{ name: string }[]>('SELECT current_database() AS name');
    await service.query(buildRoleTimeoutsSql(service.driver.escape(row?.name ?? ''), requestTimeouts));
  } finally {
    await service.destroy();
  }
};
