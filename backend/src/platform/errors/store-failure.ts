import { QueryFailedError } from 'typeorm';

/** PostgreSQL classes 08 (connection), 53 (resources), 57 (operator intervention, statement cancelled). */
const awayClasses = new Set(['08', '53', '57']);
const awayCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const awayMessages =
  /Command timed out|Connection is closed|Stream isn't writeable|max retries per request|LOADING|READONLY|MASTERDOWN|timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout/i;

/** 55P03: somebody holds a lock for longer than a request may wait. */
const isAwayState = (sqlState: string): boolean =>
  awayClasses.has(sqlState.slice(0, 2)) || sqlState === '55P03';

/** Whether an error says that PostgreSQL or Redis is away for the moment, rather than that we are wrong. */
export const isStoreFailure = (error: unknown): boolean => {
  const source = (
    error instanceof QueryFailedError ? error.driverError : error
  ) as Partial<NodeJS.ErrnoException> | null;
  const { code, message } = source ?? {};
  if (typeof code === 'string' && (awayCodes.has(code) || isAwayState(code))) return true;
  return typeof message === 'string' && awayMessages.test(message);
};
