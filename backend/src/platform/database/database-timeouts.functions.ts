import type { DatabaseTimeouts } from './data-source.config';

/** Returns the names of PostgreSQL's settings for these time-outs, with their values in ms. */
const listSettings = (timeouts: DatabaseTimeouts): [name: string, valueMs: number][] => [
  ['statement_timeout', timeouts.statementMs],
  ['lock_timeout', timeouts.lockMs],
  ['idle_in_transaction_session_timeout', timeouts.idleInTransactionMs],
];

/**
 * Builds the statements that give the connected role its time-outs in one database. They take effect for later
 * connections. A role may change its own settings without any privilege.
 * @param database name of the database, quoted as an identifier.
 */
export const buildRoleTimeoutsSql = (database: string, timeouts: DatabaseTimeouts): string =>
  listSettings(timeouts)
    .map(([name, valueMs]) => `ALTER ROLE CURRENT_USER IN DATABASE ${database} SET ${name} = ${valueMs}`)
    .join('; ');

/** Builds the statements that give the current transaction its time-outs. */
export const buildTransactionTimeoutsSql = (timeouts: DatabaseTimeouts): string =>
  listSettings(timeouts)
    .map(([name, valueMs]) => `SET LOCAL ${name} = ${valueMs}`)
    .join('; ');
