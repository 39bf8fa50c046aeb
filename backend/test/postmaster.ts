import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../src/testing/until.functions';

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
 * Stops a local PostgreSQL, which its supervisor restarts. Resolves once the new server answers.
 * @param signal SIGINT: PostgreSQL closes its connections and files; SIGQUIT: it stops at once, as in a crash.
 */
export const restartPostgres = async (databaseUrl: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
  const folder = await queryValue(databaseUrl, "SELECT current_setting('data_directory') AS value");
  const readPid = (): number => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const readStartTime = () =>
    queryValue(databaseUrl, 'SELECT pg_postmaster_start_time()::text AS value').catch(() => '');
  const before = await readStartTime();
  process.kill(readPid(), signal);
  await until(readStartTime, (now) => now !== '' && now !== before, 60_000);
};
