// Uses real PostgreSQL, with a separate role for the service.
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.harness';
import { createDataSourceOptions } from './data-source.config';
import { migrate } from './schema-migration.functions';

jest.setTimeout(60_000);

const role = `thaw_service_${randomBytes(4).toString('hex')}`;
const password = randomBytes(16).toString('hex');
const INSUFFICIENT_PRIVILEGE = '42501';

const connect = (url: string): Promise<DataSource> =>
  new DataSource(createDataSourceOptions({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 })).initialize();

describe('migrate, with a separate role for the service', () => {
  let database: TestDatabase;
  let service: DataSource;
  let serviceUrl: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.dataSource.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = password;
    serviceUrl = url.toString();
    service = await connect(serviceUrl);
  });
  afterAll(async () => {
    await service.destroy();
    await database.dataSource.query(`DROP OWNED BY ${role} CASCADE`);
    await database.close();
    // The role outlives the database, because roles belong to the whole server.
    const server = await connect(process.env.DATABASE_URL!);
    await server.query(`DROP ROLE ${role}`);
    await server.destroy();
  });

  const migrateDatabase = () =>
    migrate({ MIGRATE_DATABASE_URL: database.url, DATABASE_URL: serviceUrl, DATABASE_POOL_SIZE: 2 });
  beforeEach(migrateDatabase);

  const countEvents = async () => {
    const [row] = await service.query<{ count: number }[]>('SELECT count(*)::int AS count FROM events');
    return row?.count;
  };

  it('sets the time-outs of the role of the service, which apply to its later connections', async () => {
    const laterConnection = await connect(serviceUrl);
    const readTimeouts = `SELECT current_setting('statement_timeout') AS statement,
      current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`;
    // `requestTimeouts` in data-source.config.ts has these values.
    expect(await laterConnection.query(readTimeouts)).toEqual([{ statement: '3s', lock: '1s', idle: '5s' }]);
    await laterConnection.destroy();
  });

  it('takes over the objects that the service owns in a database of an earlier release', async () => {
    await database.dataSource.query(
      `ALTER TABLE users OWNER TO ${role}; ALTER TABLE events OWNER TO ${role}`,
    );
    await migrateDatabase();
    const owned = await database.dataSource.query<unknown[]>(
      'SELECT relname FROM pg_class WHERE relowner = $1::regrole',
      [role],
    );
    expect(owned).toEqual([]);
  });

  it('allows the service to insert and read events', async () => {
    await service.query(
      `INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
       VALUES ('test', 1, gen_random_uuid(), 'Tested', 1, '{}', '{}', now()) RETURNING global_position`,
    );
    expect(await countEvents()).toBe(1);
  });

  it.each([
    `UPDATE events SET type = 'Other'`,
    'DELETE FROM events',
    'TRUNCATE events',
    'ALTER TABLE events DISABLE TRIGGER ALL',
    'DROP TABLE events',
    'DELETE FROM events_p00', // a partition of `events`
    'TRUNCATE event_private_p00', // a partition of `event_private`
    'CREATE TABLE mine (id integer)',
    'DELETE FROM migrations',
  ])('does not allow the service to rewrite events, migrations or the schema: %s', async (statement) => {
    const countBefore = await countEvents();
    await expect(service.query(statement)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
    expect(await countEvents()).toBe(countBefore);
  });

  it('allows the service to read `migrations`', async () => {
    const migrations = await service.query<unknown[]>('SELECT name FROM migrations');
    expect(migrations).not.toEqual([]);
  });

  it('allows the service to read and write every table except `events` and `migrations`', async () => {
    // Partitions are left out: the service uses them through their table, and has no privileges on them.
    const tables = await service.query<{ name: string; ok: boolean }[]>(
      `SELECT tablename AS name,
         has_table_privilege(quote_ident(tablename), 'SELECT')
         AND has_table_privilege(quote_ident(tablename), 'INSERT')
         AND has_table_privilege(quote_ident(tablename), 'UPDATE')
         AND has_table_privilege(quote_ident(tablename), 'DELETE') AS ok
       FROM pg_tables WHERE schemaname = 'public'
         AND NOT (SELECT relispartition FROM pg_class WHERE oid = quote_ident(tablename)::regclass)`,
    );
    const limited = tables.filter(({ ok }) => !ok).map(({ name }) => name);
    expect(limited.sort()).toEqual(['events', 'migrations']);
  });

  it('allows the service to use sequences', async () => {
    await expect(service.query(`SELECT nextval('user_ids')`)).resolves.toHaveLength(1);
  });

  it('changes no privileges when the service and the migrations have the same role', async () => {
    const readPrivileges = () =>
      database.dataSource.query<unknown[]>(
        `SELECT relname, relowner::regrole::text AS owner, relacl::text AS privileges FROM pg_class
         WHERE relnamespace = 'public'::regnamespace ORDER BY relname`,
      );
    const before = await readPrivileges();
    // No migration is pending.
    expect(await migrate({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 2 })).toEqual([]);
    expect(await readPrivileges()).toEqual(before);
  });
});
