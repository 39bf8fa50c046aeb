// Uses a real PostgreSQL behind PgBouncer in transaction mode, from deploy/local/with-pooler.mjs.
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createDataSourceOptions } from '../../src/platform/database/data-source.config';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.harness';

const REPLICAS = 40;
const POOL_SIZE = 10;
const MAX_SERVER_CONNECTIONS = 50;

jest.setTimeout(60_000);

describe('replicas behind a transaction pooler', () => {
  let database: TestDatabase;
  let replicas: DataSource[];
  let server: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    const options = createDataSourceOptions({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: POOL_SIZE });
    // One process opens all 400 connections here, and the exchange of a password takes CPU time.
    const patient = { ...options, extra: { ...(options.extra as object), connectionTimeoutMillis: 30_000 } };
    replicas = await Promise.all(
      Array.from({ length: REPLICAS }, () => new DataSource(patient).initialize()),
    );
    server = new Client({ connectionString: process.env.DATABASE_URL });
    await server.connect();
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.destroy()));
    await server.end();
    await database.close();
  });

  it('share the connections of the server: 400 clients use 50 at most, and each reads what it wrote', async () => {
    await database.dataSource.query('CREATE TABLE written (client integer PRIMARY KEY)');
    const clients = Array.from({ length: REPLICAS * POOL_SIZE }, (_, client) => client);
    const read = await Promise.all(
      clients.map((client) =>
        replicas[client % REPLICAS]!.transaction(async (manager) => {
          await manager.query('INSERT INTO written VALUES ($1)', [client]);
          return manager.query<{ client: number }[]>('SELECT client FROM written WHERE client = $1', [
            client,
          ]);
        }),
      ),
    );
    expect(read).toEqual(clients.map((client) => [{ client }]));
    const { rows } = await server.query<{ connections: number }>(
      'SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = $1',
      [new URL(database.url).pathname.slice(1)],
    );
    expect(rows[0]?.connections).toBeGreaterThan(1);
    expect(rows[0]?.connections).toBeLessThanOrEqual(MAX_SERVER_CONNECTIONS);
  });
});
