// Uses real PostgreSQL.
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.harness';
import { until } from '../../testing/until.functions';
import { migrate } from './schema-migration.functions';

jest.setTimeout(60_000);

/** A migration that creates `INDEXES` concurrently, and changes nothing else. */
const MIGRATION = 'ExportIndexes1763640920000';
const INDEXES = ['appeals_appellant_idx', 'friend_requests_from_idx', 'friend_requests_to_idx'];

describe('migrate, on a database that is in use', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
    // Makes the migration pending again; its indexes stay.
    await database.dataSource.query('DELETE FROM migrations WHERE name = $1', [MIGRATION]);
  });
  afterEach(() => database.close());

  const migrateDatabase = () => migrate({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 2 });
  const dropIndexes = () => database.dataSource.query(`DROP INDEX ${INDEXES.join(', ')}`);
  const findValidIndexes = async () => {
    const rows = await database.dataSource.query<{ name: string }[]>(
      `SELECT indexrelid::regclass::text AS name FROM pg_index
       WHERE indisvalid AND indexrelid::regclass::text = ANY($1) ORDER BY 1`,
      [INDEXES],
    );
    return rows.map(({ name }) => name);
  };
  const insertFriendRequest = (id: number, manager = database.dataSource.manager) =>
    manager.query(
      `INSERT INTO friend_requests (id, requester_id, addressee_id, status, is_hidden, created_at)
       VALUES ($1, 1, 2, 'declined', false, now())`,
      [id],
    );

  /** Starts a transaction that writes. The creation of an index waits until `commit` is called. */
  const startWriter = async () => {
    const writer = database.dataSource.createQueryRunner();
    await writer.startTransaction();
    await insertFriendRequest(1, writer.manager);
    const commit = async () => {
      await writer.commitTransaction();
      await writer.release();
    };
    return { commit };
  };
  const isIndexWaiting = async () => {
    const rows = await database.dataSource.query<unknown[]>(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };

  it('does not block writes while it creates an index', async () => {
    await dropIndexes();
    const writer = await startWriter();
    const run = migrateDatabase();
    await until(isIndexWaiting);
    await insertFriendRequest(2);
    await writer.commit();
    expect(await run).toEqual([MIGRATION]);
    expect(await findValidIndexes()).toEqual(INDEXES);
  });

  it('runs the migration once for two concurrent calls', async () => {
    await dropIndexes();
    const writer = await startWriter();
    const runs = Promise.all([migrateDatabase(), migrateDatabase()]);
    await until(isIndexWaiting);
    await writer.commit();
    // Either of the two calls may have run it; the other returns no names.
    expect((await runs).flat()).toEqual([MIGRATION]);
    expect(await findValidIndexes()).toEqual(INDEXES);
  });

  it('replaces an index that an interrupted run left invalid', async () => {
    await database.dataSource.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'friend_requests_from_idx'::regclass`,
    );
    expect(await migrateDatabase()).toEqual([MIGRATION]);
    expect(await findValidIndexes()).toEqual(INDEXES);
  });
});
