import type { DataSourceOptions } from 'typeorm';
import type { Environment } from '../../config/environment.config';

type PostgresConnectionOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** How long PostgreSQL may take, in ms. */
export interface DatabaseTimeouts {
  statementMs: number;
  lockMs: number;
  idleInTransactionMs: number;
}

/** A person waits for the answer. */
export const requestTimeouts: DatabaseTimeouts = {
  statementMs: 3_000,
  lockMs: 1_000,
  idleInTransactionMs: 5_000,
};
/** Batches: what takes longer than this is halved. */
export const workerTimeouts: DatabaseTimeouts = {
  statementMs: 10_000,
  lockMs: 2_000,
  idleInTransactionMs: 15_000,
};

/** How every Thaw process talks to PostgreSQL: short statements, no session left idle in a transaction. */
export const dataSourceOptions = (
  environment: Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'>,
  { statementMs, lockMs, idleInTransactionMs }: DatabaseTimeouts = requestTimeouts,
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
    query_timeout: statementMs + 1_000,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  },
});
