import { QueryFailedError } from 'typeorm';

/** PostgreSQL classes 08 (connection), 53 (resources), 57 (operator intervention, statement cancelled). */
const awayClasses = new Set(['08', '53', '57']);
const awayCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const awayMessages =
  /Command timed out|Connection is closed|Stream isn't writeable|max retries per request|LOADING|READONLY|MASTERDOWN|timeout exceeded when trying to connect|Connection terminated|Query read timeout/i;

/** Whether an error says that PostgreSQL or Redis is away for the moment, rather than that we are wrong. */
export const isStoreFailure = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const source: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code = (source as { code?: unknown }).code;
  if (typeof code === 'string' && (awayCodes.has(code) || awayClasses.has(code.slice(0, 2)))) return true;
  return awayMessages.test(error.message);
};
