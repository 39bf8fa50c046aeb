import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { PartitionedEvents1763640960000 } from '../migrations/1763640960000-partitioned-events';
import { migrations } from '../migrations/migration.registry';
import { createFindKnownEventsSql } from '../migrations/partitioned-events/swap.sql';
import { createDataSourceOptions } from '../platform/database/data-source.config';

/** A database whose schema is that of the migrations before `PartitionedEvents`, which partitions the event tables. */
export interface UnpartitionedDatabase {
  url: string;
  /** Connections with the time-outs of an api replica. */
  apiDataSource: DataSource;
  /** Opens a data source with the time-outs of a migration. The caller destroys it. */
  connect(): Promise<DataSource>;
  close(): Promise<void>;
}

const MIGRATION_SETTINGS = '-c statement_timeout=0 -c lock_timeout=30s';
const API_SETTINGS = '-c statement_timeout=3s -c lock_timeout=1s';

const runOnServer = async (sql: string): Promise<void> => {
  const client = new Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};

const connectTo = (
  url: string,
  poolSize: number,
  options: string,
  earlierMigrations: typeof migrations = [],
): Promise<DataSource> =>
  new DataSource({
    ...createDataSourceOptions({ DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize }),
    migrations: earlierMigrations,
    extra: { options },
  }).initialize();

/** Returns a URL that leads to PostgreSQL without a pooler, even if the tests run with POOLER_URL. */
const createDatabaseUrl = (name: string): string => {
  const address = new URL(process.env.DATABASE_URL ?? '');
  address.pathname = `/${name}`;
  return address.toString();
};

const createDatabaseName = (): string => `thaw_test_${randomBytes(8).toString('hex')}`;

let template: string | undefined;

/** Creates the database from which the databases of the tests are copied, once in a test file. @returns its name */
const ensureTemplate = async (): Promise<string> => {
  if (template) return template;
  const name = createDatabaseName();
  await runOnServer(`CREATE DATABASE ${name}`);
  const earlierMigrations = migrations.slice(0, migrations.indexOf(PartitionedEvents1763640960000));
  const dataSource = await connectTo(createDatabaseUrl(name), 2, MIGRATION_SETTINGS, earlierMigrations);
  await dataSource.runMigrations({ transaction: 'each' });
  // Tests use the current event store in place of that of the previous release. The current one needs this function.
  await dataSource.query(createFindKnownEventsSql);
  await dataSource.destroy();
  template = name;
  return name;
};

/** Call it after the databases of a test file are closed. */
export const dropUnpartitionedTemplate = async (): Promise<void> => {
  if (template) await runOnServer(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
  template = undefined;
};

export const createUnpartitionedDatabase = async (): Promise<UnpartitionedDatabase> => {
  const name = createDatabaseName();
  const url = createDatabaseUrl(name);
  await runOnServer(`CREATE DATABASE ${name} TEMPLATE ${await ensureTemplate()}`);
  const apiDataSource = await connectTo(url, 20, API_SETTINGS);
  return {
    url,
    apiDataSource,
    connect: () => connectTo(url, 1, MIGRATION_SETTINGS),
    async close() {
      if (apiDataSource.isInitialized) await apiDataSource.destroy();
      await runOnServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
};

/**
 * Writes streams of `eventsEach` messages, in random global order. Four of five messages have personal data, of which a
 * third never expires.
 */
export const writeChats = (
  database: Pick<EntityManager, 'query'>,
  chats: number,
  eventsEach: number,
): Promise<unknown> =>
  database.query(
    `WITH chat AS (
       INSERT INTO event_streams (stream_id, stream_type, version)
       SELECT 'chat-' || gen_random_uuid(), 'chat', $2::int FROM generate_series(1, $1::int) RETURNING stream_id
     ), message AS (
       SELECT stream_id, nth, gen_random_uuid() AS event_id FROM chat, generate_series(1, $2::int) AS nth
     ), personal AS (
       INSERT INTO event_private (event_id, stream_id, subject_id, data, expires_at)
       SELECT event_id, stream_id, nth % 7, jsonb_build_object('content', 'text ' || nth),
         CASE WHEN nth % 3 = 0 THEN NULL ELSE now() + interval '7 days' END
       FROM message WHERE nth % 5 <> 0
     )
     INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
     SELECT stream_id, nth, event_id, 'MessageSent', 1, '{"senderId": 1}', '{}', now() FROM message
     ORDER BY random()`,
    [chats, eventsEach],
  );
