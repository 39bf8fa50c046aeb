import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../src/testing/until.functions';

const RESTARTED_WITHIN_MS = 60_000;

/** Returns the column `value` of the query's first row. */
const queryValue = async (databaseUrl: string, query: string): Promise<string> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // the server may close the connection
  await client.connect();
  try {
    const { rows } = await client.query<{ value: string }>(query);
    return rows[0]?.value ?? '';
  } finally {
    await client.end().catch(() => undefined);
  }
};

/**
 * Stops a local PostgreSQL, which its supervisor restarts. Resolves when the new server responds.
 * @param signal SIGINT: PostgreSQL closes its connections and files. SIGQUIT: it stops immediately, as in a crash.
 */
export const restartPostgres = async (databaseUrl: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
  const dataFolder = await queryValue(databaseUrl, "SELECT current_setting('data_directory') AS value");
  const readPid = (): number =>
    Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  /** Returns '' while the server does not respond. */
  const readStartTime = () =>
    queryValue(databaseUrl, 'SELECT pg_postmaster_start_time()::text AS value').catch(() => '');
  const oldStartTime = await readStartTime();
  process.kill(readPid(), signal);
  const isNewServer = (startTime: string): boolean => startTime !== '' && startTime !== oldStartTime;
  await until(readStartTime, isNewServer, RESTARTED_WITHIN_MS);
};
