import { QueryFailedError } from 'typeorm';

/**
 * Classes of SQLSTATE with which PostgreSQL says that it cannot serve at present: connection, transaction state
 * (read-only, idle time-out), authorization, unknown database, deadlock, resources, operator intervention (time-outs
 * and shutdown among it), system errors.
 */
const awayClasses = new Set(['08', '25', '28', '3D', '40', '53', '57', '58']);
const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const awayCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
/** What Redis' error replies begin with when the server, and not the command, is the reason. */
const redisAway =
  /^(OOM|MISCONF|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|READONLY|LOADING|MASTERDOWN|ERR max number of clients)\b/;
/** The last two: TypeORM gives a connection back that broke, and refuses what its transaction does next. */
const awayMessages =
  /Command timed out|Connection is closed|Stream isn't writeable|max retries per request|timeout exceeded when trying to connect|timeout expired|Connection terminated|Connection ended|Query read timeout|is not queryable|Query runner already released|query runner was already released/i;

/** Classes in which PostgreSQL says that a value, or its row, is refused: data exception, integrity constraint. */
const valueClasses = new Set(['22', '23']);
/** Classes that depend on the statement's rows and not on the store: cardinality, view checks, limits, RAISE. */
const statementClasses = new Set(['21', '44', '54', 'P0']);

const sourceOf = (error: unknown): Partial<NodeJS.ErrnoException> =>
  error instanceof QueryFailedError ? (error.driverError as object) : (error ?? {});

/** @returns the five characters of PostgreSQL's SQLSTATE; undefined for an error of anything else. */
export const sqlStateOf = (error: unknown): string | undefined => {
  const { code } = sourceOf(error);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !awayCodes.has(code) ? code : undefined;
};

/** Whether an error says that PostgreSQL or Redis cannot serve for the moment, rather than that we are wrong. */
export const isStoreFailure = (error: unknown): boolean => {
  const { code, message } = sourceOf(error);
  const sqlState = sqlStateOf(error);
  if (sqlState) return awayClasses.has(sqlState.slice(0, 2)) || sqlState === LOCK_NOT_AVAILABLE;
  if (typeof code === 'string' && awayCodes.has(code)) return true;
  return typeof message === 'string' && (redisAway.test(message) || awayMessages.test(message));
};

/** Whether a statement took too long, by PostgreSQL's clock or by ours: a smaller one may succeed. */
export const isTimeout = (error: unknown): boolean => {
  const sqlState = sqlStateOf(error);
  if (sqlState) return sqlState === QUERY_CANCELED || sqlState === LOCK_NOT_AVAILABLE;
  return /Query read timeout/i.test(sourceOf(error).message ?? '');
};

/**
 * What a failed write says about the rows that were to be written.
 *
 * - `value`: PostgreSQL refuses a value of theirs, and always will.
 * - `code`: they meet a limit of this build, such as a projection that throws; another build may write them.
 * - `store`: nothing. The store is away, read-only, not yet migrated, or too slow.
 */
export type WriteFault = 'value' | 'code' | 'store';

export const writeFaultOf = (error: unknown): WriteFault => {
  const sqlClass = sqlStateOf(error)?.slice(0, 2);
  if (sqlClass === undefined) {
    return isStoreFailure(error) || error instanceof QueryFailedError ? 'store' : 'code';
  }
  if (valueClasses.has(sqlClass)) return 'value';
  return statementClasses.has(sqlClass) ? 'code' : 'store';
};
