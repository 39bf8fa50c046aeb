import type { DataSource, DataSourceOptions } from 'typeorm';
import type { Environment } from '../../config/environment.config';

const DAY_MS = 24 * 60 * 60_000;

type PostgresConnectionOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/**
 * Time-outs of PostgreSQL. They are set for a role or a transaction (database-timeouts.functions.ts), because
 * transaction poolers refuse them as parameters of a connection (docs/decisions/0072).
 */
export interface DatabaseTimeouts {
  statementMs: number;
  lockMs: number;
  idleInTransactionMs: number;
}

/** For api replicas, where a user waits for the response. */
export const requestTimeouts: DatabaseTimeouts = {
  statementMs: 3_000,
  lockMs: 1_000,
  idleInTransactionMs: 5_000,
};

/** For workers: no user waits for their transactions. `OutboxWriterService` halves a batch that times out. */
export const workerTimeouts: DatabaseTimeouts = {
  statementMs: 10_000,
  lockMs: 2_000,
  idleInTransactionMs: 15_000,
};

/** For commands of operators, which may read the whole event log. */
export const operatorTimeouts: DatabaseTimeouts = { ...workerTimeouts, statementMs: DAY_MS };

/** Marks a data source whose statements must not be prepared. The PostgreSQL driver ignores this option. */
const UNPREPARED = { preparedStatements: 'off' } as const;

/**
 * Returns the connection options of every Thaw process. They set no state of the session, because a transaction pooler
 * shares its connections between clients. Of the time-outs, they use only `statementMs`, for the client's own limit.
 */
export const createDataSourceOptions = (
  environment: Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'> &
    Partial<Pick<Environment, 'DATABASE_PREPARED_STATEMENTS'>>,
  { statementMs }: DatabaseTimeouts = requestTimeouts,
): PostgresConnectionOptions => ({
  type: 'postgres',
  url: environment.DATABASE_URL,
  synchronize: false,
  logging: false,
  poolSize: environment.DATABASE_POOL_SIZE,
  extra: {
    connectionTimeoutMillis: 3_000,
    keepAlive: true,
    // The client's limit is later than the server's, so it is reached only if the server does not respond at all.
    query_timeout: statementMs + 1_000,
    ...(environment.DATABASE_PREPARED_STATEMENTS === false && UNPREPARED),
  },
});

/** Whether statements may be prepared: sent with a name, under which PostgreSQL keeps the parsed statement. */
export const allowsPreparedStatements = ({ options }: Pick<DataSource, 'options'>): boolean => {
  const extra = options.extra as Partial<typeof UNPREPARED> | undefined;
  return extra?.preparedStatements !== 'off';
};
