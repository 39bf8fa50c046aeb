// Runs what `npm start` runs: an api process, a worker, and their own PostgreSQL and Redis.
import { Client } from 'pg';
import { type Stack, startStack } from '../../deploy/local/thaw-stack.mjs';

jest.setTimeout(120_000);

/** Application name of the test's own connections, which distinguishes them from those of the product. */
const TEST_CONNECTION = 'the test';
/** The error code of PostgreSQL for a missing privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';

let stack: Stack;

const query = async (connectionString: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString, application_name: TEST_CONNECTION });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  // Empty addresses make the stack start its own PostgreSQL and Redis.
  stack = await startStack({ env: { DATABASE_URL: '', REDIS_URL: '', LOG_LEVEL: 'warn' } });
});
afterAll(() => stack.stop());

it('runs every process under a role that cannot change the event log, the schema or the server', async () => {
  // `serviceDatabaseUrl` is set, because the stack starts its own PostgreSQL.
  const { databaseUrl, serviceDatabaseUrl } = stack.stores;
  const roles = await query(
    databaseUrl,
    `SELECT DISTINCT usename AS role FROM pg_stat_activity
     WHERE datname = current_database() AND application_name <> '${TEST_CONNECTION}'`,
  );
  expect(roles).toEqual([{ role: 'thaw_service' }]);
  for (const statement of [
    `UPDATE events SET type = 'Other'`,
    'DELETE FROM events',
    'CREATE TABLE new_table (id integer)',
    "ALTER SYSTEM SET log_statement = 'all'",
  ]) {
    await expect(query(serviceDatabaseUrl!, statement)).rejects.toMatchObject({
      code: INSUFFICIENT_PRIVILEGE,
    });
  }
});
