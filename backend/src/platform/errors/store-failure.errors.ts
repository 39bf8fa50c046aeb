import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes that mean that PostgreSQL is unavailable. */
const unavailableClasses = new Set([
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
/** SQLSTATE of a statement that ran longer than `statement_timeout`. */
const QUERY_CANCELED = '57014';
/** Codes of the system errors with which a connection fails. */
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Prefixes of Redis error replies that are caused by the state of the server, not by the command. */
const unavailableRedisReply =
  /^(OOM|MISCONF|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|READONLY|LOADING|MASTERDOWN|MOVED|ASK|ERR max number of clients)\b/;
/** Message of the PostgreSQL client about a statement without a response in time. */
const QUERY_READ_TIMEOUT = 'Query read timeout';
/** Parts of the messages of the clients, and of one error reply, that mean that a store is unavailable. */
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
    // Error reply to a script that runs while the slot of its keys moves to another node of a cluster.
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

/** SQLSTATE classes that refuse a value or its row: data exception, integrity constraint. */
const valueClasses = new Set(['22', '23']);
/**
 * SQLSTATE classes that depend on the statement's rows, not on the store: cardinality, view checks, program limits,
 * RAISE.
 */
const statementClasses = new Set(['21', '44', '54', 'P0']);

/** TypeORM wraps the error of the driver, which has the code. */
const unwrapDriverError = (error: unknown): Partial<NodeJS.ErrnoException> =>
  error instanceof QueryFailedError ? (error.driverError as object) : (error ?? {});

/** Returns the five characters of PostgreSQL's SQLSTATE; undefined for errors from anywhere else. */
export const findSqlState = (error: unknown): string | undefined => {
  const { code } = unwrapDriverError(error);
  // The system error EPIPE has the form of a SQLSTATE.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !unavailableCodes.has(code)
    ? code
    : undefined;
};

/** Whether an error means that PostgreSQL or Redis is temporarily unavailable, rather than a bug. */
export const isStoreFailure = (error: unknown): boolean => {
  const { code, message } = unwrapDriverError(error);
  const sqlState = findSqlState(error);
  if (sqlState) return unavailableClasses.has(sqlState.slice(0, 2)) || sqlState === LOCK_NOT_AVAILABLE;
  if (typeof code === 'string' && unavailableCodes.has(code)) return true;
  return (
    typeof message === 'string' && (unavailableRedisReply.test(message) || unavailableMessages.test(message))
  );
};

/** Whether a statement timed out, on the server or in the client. The same statement may succeed with fewer rows. */
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

/** Classifies an error that was thrown when events or rows were written to PostgreSQL. */
export const classifyWriteFault = (error: unknown): WriteFault => {
  const sqlClass = findSqlState(error)?.slice(0, 2);
  if (sqlClass === undefined) {
    // A failed query without a SQLSTATE is an error of the connection or the client.
    return isStoreFailure(error) || error instanceof QueryFailedError ? 'store' : 'code';
  }
  if (valueClasses.has(sqlClass)) return 'value';
  return statementClasses.has(sqlClass) ? 'code' : 'store';
};
