import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../migrations/migration.registry';
import { createDataSourceOptions, requestTimeouts } from '../platform/database/data-source.config';
import { buildRoleTimeoutsSql } from '../platform/database/database-timeouts.functions';
import { migrate } from '../platform/database/schema-migration.functions';

/**
 * Key of the advisory lock that a test file holds while it creates the template of all test databases, because the test
 * files of a run start concurrently. The number is arbitrary.
 */
const TEMPLATE_LOCK = 7_284_611;

export interface TestDatabase {
  /** If the tests run with POOLER_URL, connections to this URL go through PgBouncer in transaction mode. */
  url: string;
  /** Environment variables of a process that uses this database. */
  settings: { DATABASE_URL: string; DATABASE_PREPARED_STATEMENTS: string | undefined };
  /** A connection pool, for checks and for the components under test. */
  dataSource: DataSource;
  /** Runs statements in a new session of PostgreSQL, without the pooler. */
  withSession<Result>(work: (client: Client) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const requireServerUrl = (): string => {
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('Integration tests need DATABASE_URL and REDIS_URL: npm run test:integration');
  return url;
};

const replaceDatabase = (url: string, name: string): string => {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
};

/** The name contains a hash of the source code of the migrations, so that changed migrations use a new template. */
const computeTemplateName = (): string => {
  const text = migrations.map((migration) => migration.toString()).join('\n');
  return `thaw_template_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
};

const withSession = async <Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Creates the template database unless it exists. @returns its name */
const ensureTemplate = async (client: Client, url: string): Promise<string> => {
  const name = computeTemplateName();
  const exists = async () =>
    (await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).rows.length > 0;
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await exists()) return name;
    // The template gets its name when it is complete, so that a killed run leaves no incomplete template.
    const unfinishedName = `${name}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinishedName} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinishedName}`);
    await migrate({ DATABASE_URL: replaceDatabase(url, unfinishedName), DATABASE_POOL_SIZE: 2 });
    await client.query(`ALTER DATABASE ${unfinishedName} RENAME TO ${name}`);
    return name;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
};

/** Creates a database as a clone of the template. @returns its name */
const cloneTemplate = async (serverUrl: string): Promise<string> => {
  const name = `thaw_test_${randomBytes(8).toString('hex')}`;
  await withSession(serverUrl, async (client) => {
    const template = await ensureTemplate(client, serverUrl);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    // A clone does not get the settings of the role in the template.
    await client.query(buildRoleTimeoutsSql(name, requestTimeouts));
  });
  return name;
};

/** Creates a database with the current schema, and a connection pool. */
export const createTestDatabase = async ({
  entities = [],
  poolSize = 10,
}: { entities?: (new () => object)[]; poolSize?: number } = {}): Promise<TestDatabase> => {
  const serverUrl = requireServerUrl();
  const name = await cloneTemplate(serverUrl);
  const { POOLER_URL, DATABASE_PREPARED_STATEMENTS } = process.env;
  const url = replaceDatabase(POOLER_URL ?? serverUrl, name);
  const dataSource = new DataSource({
    ...createDataSourceOptions({
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: poolSize,
      DATABASE_PREPARED_STATEMENTS: DATABASE_PREPARED_STATEMENTS !== 'off',
    }),
    entities,
  });
  await dataSource.initialize();
  return {
    url,
    settings: { DATABASE_URL: url, DATABASE_PREPARED_STATEMENTS },
    dataSource,
    withSession: (work) => withSession(replaceDatabase(serverUrl, name), work),
    async close() {
      if (dataSource.isInitialized) await dataSource.destroy();
      await withSession(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
};
