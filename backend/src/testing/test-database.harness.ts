import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../migrations/migration.registry';
import { createDataSourceOptions, requestTimeouts } from '../platform/database/data-source.config';
import { buildRoleTimeoutsSql } from '../platform/database/database-timeouts.functions';
import { migrate } from '../platform/database/schema-migration.functions';

/** Advisory lock held while the template is created: the test files of a run start concurrently. */
const TEMPLATE_LOCK = 7_284_611;

export interface TestDatabase {
  /** Through PgBouncer in transaction mode if POOLER_URL is given. */
  url: string;
  /** The settings of a process that uses this database. */
  settings: { DATABASE_URL: string; DATABASE_PREPARED_STATEMENTS: string | undefined };
  /** A connection pool, for checks and for the components under test. */
  dataSource: DataSource;
  /** Runs statements in a session of their own, which is not one of a pooler. */
  withSession<Result>(work: (client: Client) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const requireUrl = (): string => {
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('Integration tests need DATABASE_URL and REDIS_URL: npm run test:integration');
  return url;
};

const withDatabase = (url: string, name: string): string => {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
};

/** The name contains a hash of the migrations, so a template is never stale. */
const computeTemplateName = (): string => {
  const text = migrations.map((migration) => migration.toString()).join('\n');
  return `thaw_template_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
};

const withClient = async <Result>(
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

const ensureTemplate = async (client: Client, url: string): Promise<string> => {
  const name = computeTemplateName();
  const exists = async () =>
    (await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).rows.length > 0;
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await exists()) return name;
    // Created under another name until complete: a run that is killed half way leaves no incomplete template.
    const unfinished = `${name}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await migrate({ DATABASE_URL: withDatabase(url, unfinished), DATABASE_POOL_SIZE: 2 });
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    return name;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
};

/** A separate database with the current schema, cloned from a migrated template. */
export const createTestDatabase = async (
  settings: { entities?: (new () => object)[]; poolSize?: number } = {},
): Promise<TestDatabase> => {
  const serverUrl = requireUrl();
  const name = `thaw_test_${randomBytes(8).toString('hex')}`;
  await withClient(serverUrl, async (client) => {
    const template = await ensureTemplate(client, serverUrl);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    // Settings of a role in a database are not copied from the template.
    await client.query(buildRoleTimeoutsSql(name, requestTimeouts));
  });

  const { POOLER_URL, DATABASE_PREPARED_STATEMENTS } = process.env;
  const url = withDatabase(POOLER_URL ?? serverUrl, name);
  const dataSource = new DataSource({
    ...createDataSourceOptions({
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: settings.poolSize ?? 10,
      DATABASE_PREPARED_STATEMENTS: DATABASE_PREPARED_STATEMENTS !== 'off',
    }),
    entities: settings.entities ?? [],
  });
  await dataSource.initialize();
  return {
    url,
    settings: { DATABASE_URL: url, DATABASE_PREPARED_STATEMENTS },
    dataSource,
    withSession: (work) => withClient(withDatabase(serverUrl, name), work),
    async close() {
      if (dataSource.isInitialized) await dataSource.destroy();
      await withClient(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
};
