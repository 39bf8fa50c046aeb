// Uses real PostgreSQL behind PgBouncer in transaction mode, from deploy/local/with-pooler.mjs. The address of a test
// database (`database.url`) leads through the pooler; DATABASE_URL leads to PostgreSQL itself.
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createDataSourceOptions } from '../../src/platform/database/data-source.config';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';

const REPLICA_COUNT = 40;
/** Connections from each replica to the pooler. */
const POOL_SIZE = 10;
/** Maximum number of connections from the pooler to one database in PostgreSQL: the default of `startPgBouncer`. */
const MAX_SERVER_CONNECTIONS = 50;

jest.setTimeout(60_000);

describe('replicas behind a transaction pooler', () => {
  let database: TestDatabase;
  let replicas: DataSource[];
  /** Counts the connections to PostgreSQL, but not its own. */
  let observer: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    const options = createDataSourceOptions({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: POOL_SIZE });
    // All 400 connections open at once, which can take longer than the default timeout: checking a password takes CPU
    // time.
    const optionsWithLongTimeout = {
      ...options,
      extra: { ...(options.extra as object), connectionTimeoutMillis: 30_000 },
    };
    replicas = await Promise.all(
      Array.from({ length: REPLICA_COUNT }, () => new DataSource(optionsWithLongTimeout).initialize()),
    );
    // Bypasses the pooler, and uses another database than the replicas, so this connection is not counted.
    observer = new Client({ connectionString: process.env.DATABASE_URL });
    await observer.connect();
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.destroy()));
    await observer.end();
    await database.close();
  });

  /** Writes the number of a client and reads it again, in one transaction. */
  const writeAndRead = (replica: DataSource, client: number): Promise<{ client: number }[]> =>
    replica.transaction(async (manager) => {
      await manager.query('INSERT INTO written VALUES ($1)', [client]);
      return manager.query<{ client: number }[]>('SELECT client FROM written WHERE client = $1', [client]);
    });

  const countServerConnections = async (): Promise<number | undefined> => {
    const { rows } = await observer.query<{ connections: number }>(
      'SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = $1',
      [new URL(database.url).pathname.slice(1)],
    );
    return rows[0]?.connections;
  };

  it('share the connections to PostgreSQL: 400 clients use 50 at most, and each reads the row that it wrote', async () => {
    await database.dataSource.query('CREATE TABLE written (client integer PRIMARY KEY)');
    const clients = Array.from({ length: REPLICA_COUNT * POOL_SIZE }, (_, client) => client);
    const rowsOfClients = await Promise.all(
      clients.map((client) => writeAndRead(replicas[client % REPLICA_COUNT]!, client)),
    );
    expect(rowsOfClients).toEqual(clients.map((client) => [{ client }]));
    const connections = await countServerConnections();
    // More than one, because the transactions ran concurrently.
    expect(connections).toBeGreaterThan(1);
    expect(connections).toBeLessThanOrEqual(MAX_SERVER_CONNECTIONS);
  });
});
