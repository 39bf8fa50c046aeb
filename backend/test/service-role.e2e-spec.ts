// Runs what `npm start` runs: its own PostgreSQL and Redis, an api process and a worker.
import { Client } from 'pg';
import { type Stack, startStack } from '../../deploy/local/thaw-stack.mjs';

jest.setTimeout(120_000);

let stack: Stack;

const query = async (connectionString: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString, application_name: 'the test' });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  stack = await startStack({ env: { DATABASE_URL: '', REDIS_URL: '', LOG_LEVEL: 'warn' } });
});
afterAll(() => stack.stop());

it('runs every process under a role that can neither rewrite the event log nor change the schema', async () => {
  const { databaseUrl, serviceDatabaseUrl = '' } = stack.stores;
  const roles = await query(
    databaseUrl,
    `SELECT DISTINCT usename AS role FROM pg_stat_activity
     WHERE datname = current_database() AND application_name <> 'the test'`,
  );
  expect(roles).toEqual([{ role: 'thaw_service' }]);
  for (const statement of [
    `UPDATE events SET type = 'Other'`,
    'DELETE FROM events',
    'CREATE TABLE mine (id integer)',
    "ALTER SYSTEM SET log_statement = 'all'",
  ]) {
    await expect(query(serviceDatabaseUrl, statement)).rejects.toMatchObject({ code: '42501' });
  }
});
