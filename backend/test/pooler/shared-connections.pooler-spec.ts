// Uses real PostgreSQL behind PgBouncer in transaction mode, from deploy/local/with-pooler.mjs.
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createDataSourceOptions } from '../../src/platform/database/data-source.config';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';

const REPLICA_COUNT = 40;
/** Connections of each replica to the pooler. */
const POOL_SIZE = 10;
/** Maximum number of connections from the pooler to a database: the default of `startPgBouncer`. */
const MAX_SERVER_CONNECTIONS = 50;

jest.setTimeout(60_000);

describe('replicas behind a transaction pooler', () => {
  let database: TestDatabase;
  let replicas: DataSource[];
  let observer: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    const options = createDataSourceOptions({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: POOL_SIZE });
    // Opening all 400 connections at once can take longer than the default timeout, because the exchange of each
    // password takes CPU time.
    const optionsWithLongTimeout = {
      ...options,
      extra: { ...(options.extra as object), connectionTimeoutMillis: 30_000 },
    };
    replicas = await Promise.all(
      Array.from({ length: REPLICA_COUNT }, () => new DataSource(optionsWithLongTimeout).initialize()),
    );
    // Connects to PostgreSQL directly, and to another database, so it does not count itself.
    observer = new Client({ connectionString: process.env.DATABASE_URL });
    await observer.connect();
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.destroy()));
    await observer.end();
    await database.close();
  });

  it('share the connections to PostgreSQL: 400 clients use 50 at most, and each reads the row that it wrote', async () => {
    await database.dataSource.query('CREATE TABLE written (client integer PRIMARY KEY)');
    const clients = Array.from({ length: REPLICA_COUNT * POOL_SIZE }, (_, client) => client);
    const rowsOfClients = await Promise.all(
      clients.map((client) =>
        replicas[client % REPLICA_COUNT]!.transaction(async (manager) => {
          await manager.query('INSERT INTO written VALUES ($1)', [client]);
          return manager.query<{ client: number }[]>('SELECT client FROM written WHERE client = $1', [
            client,
          ]);
        }),
      ),
    );
    expect(rowsOfClients).toEqual(clients.map((client) => [{ client }]));
    const { rows } = await observer.query<{ connections: number }>(
      'SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = $1',
      [new URL(database.url).pathname.slice(1)],
    );
    // With only one, the transactions would not have run concurrently.
    expect(rows[0]?.connections).toBeGreaterThan(1);
    expect(rows[0]?.connections).toBeLessThanOrEqual(MAX_SERVER_CONNECTIONS);
  });
});
