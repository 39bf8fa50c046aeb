import { QueryFailedError } from 'typeorm';

/** Codes of the system errors with which a connection to a store fails. */
const connectionErrorCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** TypeORM wraps the error of the driver, which has the code. */
const unwrapDriverError = (error: unknown): Partial<NodeJS.ErrnoException> =>
  error instanceof QueryFailedError ? (error.driverError as object) : (error ?? {});

/** Returns the five characters of PostgreSQL's SQLSTATE; undefined for errors from anywhere else. */
export const findSqlState = (error: unknown): string | undefined => {
  const { code } = unwrapDriverError(error);
  // The code EPIPE has the form of a SQLSTATE, too.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !connectionErrorCodes.has(code)
    ? code
    : undefined;
};

/** The first two characters of a SQLSTATE are its class. */
const getSqlClass = (sqlState: string): string => sqlState.slice(0, 2);

/** SQLSTATE classes that mean that PostgreSQL is unavailable. */
const unavailableSqlClasses = new Set([
  '08', // connection
  '25', // transaction state: read-only, idle time-out
  '28', // authorization
  '3D', // unknown database
  '40', // rollback: deadlock
  '53', // resources
  '57', // operator intervention: time-outs, shutdown
  '58', // system errors
]);
/** SQLSTATE of a statement that waited longer than `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
/** Error replies of Redis that are caused by the state of the server, not by the command. */
const unavailableRedisReplies =
  /^(OOM|MISCONF|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|READONLY|LOADING|MASTERDOWN|MOVED|ASK|ERR max number of clients)\b/;
/** Message of the PostgreSQL client about a statement without a response in time. */
const QUERY_READ_TIMEOUT = 'Query read timeout';
/** Parts of other error messages that mean that a store is unavailable. */
const unavailableMessages = new RegExp(
  [
    // Redis client and BullMQ.
    'Command timed out',
    'Connection is closed',
    'Connection ended',
    "Cluster isn't ready",
    'Cluster is ended',
    'Too many Cluster redirections',
    'Failed to refresh slots cache',
    'None of startup nodes is available',
    "Stream isn't writeable",
    'max retries per request',
    // Redis's reply to a script that runs while the slot of its keys moves to another node of a cluster.
    'access a non local key',
    // PostgreSQL client.
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Connection terminated',
    QUERY_READ_TIMEOUT,
    'is not queryable',
    // TypeORM has released a broken connection, and refuses further queries in its transaction.
    'Query runner already released',
    'query runner was already released',
  ].join('|'),
  'i',
);

/** Whether an error means that PostgreSQL or Redis is temporarily unavailable, rather than a bug. */
export const isStoreFailure = (error: unknown): boolean => {
  const { code, message } = unwrapDriverError(error);
  const sqlState = findSqlState(error);
  if (sqlState) return unavailableSqlClasses.has(getSqlClass(sqlState)) || sqlState === LOCK_NOT_AVAILABLE;
  if (typeof code === 'string' && connectionErrorCodes.has(code)) return true;
  if (typeof message !== 'string') return false;
  return unavailableRedisReplies.test(message) || unavailableMessages.test(message);
};

/** SQLSTATE of a statement that ran longer than `statement_timeout`. */
const QUERY_CANCELED = '57014';

/**
 * Whether a statement timed out, on the server (also while it waited for a lock) or in the client. The same statement
 * may succeed with fewer rows.
 */
export const isTimeout = (error: unknown): boolean => {
  const sqlState = findSqlState(error);
  if (sqlState) return sqlState === QUERY_CANCELED || sqlState === LOCK_NOT_AVAILABLE;
  return new RegExp(QUERY_READ_TIMEOUT, 'i').test(unwrapDriverError(error).message ?? '');
};

/**
 * The cause of a failed write.
 *
 * - `value`: PostgreSQL refuses a value of the rows; a retry cannot succeed.
 * - `code`: this build cannot write the rows, for instance because a projection throws; another build may.
 * - `store`: the cause is not in the rows. The store is unavailable, read-only, not yet migrated, or too slow.
 */
export type WriteFault = 'value' | 'code' | 'store';

/** SQLSTATE classes of the fault `value`: data exception, integrity constraint. */
const valueFaultClasses = new Set(['22', '23']);
/** SQLSTATE classes of the fault `code`: cardinality, view checks, program limits, RAISE. */
const codeFaultClasses = new Set(['21', '44', '54', 'P0']);

/** Classifies an error that was thrown when events or rows were written to PostgreSQL. */
export const classifyWriteFault = (error: unknown): WriteFault => {
  const sqlState = findSqlState(error);
  if (sqlState === undefined) {
    // A failed query without a SQLSTATE is an error of the connection or the client.
    return isStoreFailure(error) || error instanceof QueryFailedError ? 'store' : 'code';
  }
  const sqlClass = getSqlClass(sqlState);
  if (valueFaultClasses.has(sqlClass)) return 'value';
  return codeFaultClasses.has(sqlClass) ? 'code' : 'store';
};
