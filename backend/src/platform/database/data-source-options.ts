import type { DataSourceOptions } from 'typeorm';
import type { Environment } from '../../config/environment';

type PostgresConnectionOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** How every Thaw process talks to PostgreSQL: short statements, no session left idle in a transaction. */
export const dataSourceOptions = (
  environment: Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>,
): PostgresConnectionOptions => ({
  type: 'postgres',
  url: environment.DATABASE_URL,
  synchronize: false,
  logging: false,
  poolSize: environment.DATABASE_POOL_SIZE,
  extra: {
    connectionTimeoutMillis: 3_000,
    keepAlive: true,
    // The server's own limit comes first, unless the server does not answer at all.
    query_timeout: 4_000,
    statement_timeout: 3_000,
    lock_timeout: 1_000,
    idle_in_transaction_session_timeout: 5_000,
  },
});
