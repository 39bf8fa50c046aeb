// Uses real PostgreSQL. EXPLAIN ANALYZE counts the rows that a query reads.
import { limits } from '@thaw/contract/limits';
import { DELETE_READ_POSITIONS_SQL } from './modules/my-data/infrastructure/erasure.repository';
import { UNREAD_COUNTS_SQL } from './modules/private-chat/infrastructure/private-message.repository';
import { LATEST_CHATS_SQL } from './modules/random-chat/infrastructure/chat-history.repository';
import { DELETE_BAN_KEYS_SQL } from './modules/standings/infrastructure/ban-key.repository';
import { createTestDatabase, type TestDatabase } from './testing/test-database.harness';

jest.setTimeout(60_000);

// User ids.
const ADA = 1;
const BOB = 2;
/** Rows of each large table except the chat history: far more than a query may read. */
const ROW_COUNT = 20_000;
/** A tenth of the chats are Ada's, which is also far more than a query may read. */
const CHAT_COUNT = 60_000;
/** Rows of `private_reads` and of `ban_keys` that the tested statements delete. */
const OWN_ROW_COUNT = 20;
const SANCTION_COUNT = 100;
/** The unread count at which the service stops counting. */
const MAX_UNREAD_COUNT = 100;

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Sums up the rows that the scans in a plan read, including those that a filter removed. */
const countRowsOfScans = (node: PlanNode): number => {
  const children = (node.Plans ?? []).reduce((sum, child) => sum + countRowsOfScans(child), 0);
  // Such as `Index Scan`, `Index Only Scan`, `Bitmap Heap Scan` and `Seq Scan`.
  if (!/(Index|Seq|Heap) .*Scan/.test(node['Node Type'])) return children;
  const perLoop =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return children + perLoop * node['Actual Loops'];
};

/**
 * Runs a statement.
 * @returns the number of rows that it read from tables and indexes
 */
const runAndCountRowsRead = async (
  { dataSource }: TestDatabase,
  sql: string,
  parameters: unknown[],
): Promise<number> => {
  const [row] = await dataSource.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
    parameters,
  );
  return countRowsOfScans(row!['QUERY PLAN'][0]!.Plan);
};

describe('a query with a limit', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    // A tenth of the chats are Ada's: those whose id is 0, 1 or 2 modulo 30. Ada is the first user of two thirds of
    // them, and the second user of the others. All other users have a single chat.
    await dataSource.query(
      `INSERT INTO chat_history (id, stream_id, user1_id, user2_id, created_at)
       SELECT n, 'chat-' || n, CASE n % 30 WHEN 0 THEN $1 WHEN 1 THEN $1 ELSE 1000 + n END,
         CASE n % 30 WHEN 2 THEN $1 ELSE 2000000 + n END, now()
       FROM generate_series(1, $2) AS n`,
      [ADA, CHAT_COUNT],
    );
    await dataSource.query(
      `INSERT INTO private_messages (id, sender_id, receiver_id, type, content, created_at, is_deleted)
       SELECT n, $2, $1, 'text', 'hello', now(), n % 10 = 0 FROM generate_series(1, $3) AS n`,
      [ADA, BOB, ROW_COUNT],
    );
    await dataSource.query('VACUUM ANALYZE chat_history, private_messages');
  });
  afterAll(() => database.close());

  const countRowsRead = (sql: string, parameters: unknown[]) =>
    runAndCountRowsRead(database, sql, parameters);

  it('reads at most two pages of rows for the chat history, however many chats the user has', async () => {
    // One page of chats in which Ada is the first user, and one of those in which Ada is the second.
    const pageSize = limits.chatHistoryMaxEntries;
    const rows = await database.dataSource.query<{ id: string }[]>(LATEST_CHATS_SQL, [ADA, pageSize]);
    const ids = rows.map(({ id }) => Number(id));
    const expectedIds = Array.from({ length: CHAT_COUNT }, (_, index) => CHAT_COUNT - index)
      .filter((id) => id % 30 <= 2)
      .slice(0, pageSize);
    expect(ids).toEqual(expectedIds);
    const rowsRead = await countRowsRead(LATEST_CHATS_SQL, [ADA, pageSize]);
    expect(rowsRead).toBeGreaterThanOrEqual(pageSize);
    expect(rowsRead).toBeLessThanOrEqual(2 * pageSize);
  });

  it('reads 100 messages of a friend for the unread count, however many are unread', async () => {
    const parameters = [ADA, [BOB], MAX_UNREAD_COUNT];
    expect(await database.dataSource.query(UNREAD_COUNTS_SQL, parameters)).toEqual([
      { friend_id: String(BOB), count: MAX_UNREAD_COUNT },
    ]);
    const rowsRead = await countRowsRead(UNREAD_COUNTS_SQL, parameters);
    expect(rowsRead).toBeGreaterThanOrEqual(MAX_UNREAD_COUNT);
    expect(rowsRead).toBeLessThanOrEqual(MAX_UNREAD_COUNT + 1); // and the read position, if there is one
  });

  it('counts unread messages exactly up to 100, without deleted messages', async () => {
    const countWhenReadUpTo = async (readUpTo: number): Promise<unknown> => {
      await database.dataSource.query(
        `INSERT INTO private_reads (user_id, friend_id, read_up_to) VALUES ($1, $2, $3)
         ON CONFLICT (user_id, friend_id) DO UPDATE SET read_up_to = excluded.read_up_to`,
        [ADA, BOB, readUpTo],
      );
      return database.dataSource.query(UNREAD_COUNTS_SQL, [ADA, [BOB], MAX_UNREAD_COUNT]);
    };
    // Every tenth message is deleted: 99 of the last 110 are unread, and 108 of the last 120.
    expect(await countWhenReadUpTo(ROW_COUNT - 110)).toEqual([{ friend_id: String(BOB), count: 99 }]);
    expect(await countWhenReadUpTo(ROW_COUNT - 120)).toEqual([{ friend_id: String(BOB), count: 100 }]);
    expect(await countWhenReadUpTo(ROW_COUNT)).toEqual([]);
  });
});

describe('a statement that deletes the rows of a user or a sanction', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    // Of the first OWN_ROW_COUNT rows, half are Ada's read positions, and half are those of friends in chats with Ada.
    await dataSource.query(
      `INSERT INTO private_reads (user_id, friend_id, read_up_to)
       SELECT CASE WHEN n <= $2 / 2 THEN $1 ELSE 1000 + n END,
         CASE WHEN n BETWEEN $2 / 2 + 1 AND $2 THEN $1 ELSE 900000 + n END, 1
       FROM generate_series(1, $3::int) AS n`,
      [ADA, OWN_ROW_COUNT, ROW_COUNT],
    );
    await dataSource.query(
      `INSERT INTO sanctions (id, user_id, kind, rule, starts_at, notice_id, is_automatic, inherited_from)
       SELECT n, n, 'suspended', 'harassment', now(), n, false, CASE WHEN n = 2 THEN 1 END FROM generate_series(1, $1::int) AS n`,
      [SANCTION_COUNT],
    );
    // The second sanction is inherited from the first, which was imposed on an earlier account of the same user. Each
    // of the two has half of the OWN_ROW_COUNT keys (hashes by which new accounts of sanctioned users are recognised).
    await dataSource.query(
      `INSERT INTO ban_keys (kind, key_hash, sanction_id, expires_at)
       SELECT 'device', 'hash ' || n, CASE WHEN n <= $1 THEN 1 + n % 2 ELSE 1000 + n END, now() + interval '1 day'
       FROM generate_series(1, $2::int) AS n`,
      [OWN_ROW_COUNT, ROW_COUNT],
    );
    await dataSource.query('VACUUM ANALYZE private_reads, sanctions, ban_keys');
  });
  afterAll(() => database.close());

  const countRowsRead = (sql: string, parameters: unknown[]) =>
    runAndCountRowsRead(database, sql, parameters);
  const countRows = async (table: string): Promise<number> => {
    const [row] = await database.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM ${table}`,
    );
    return row!.count;
  };

  it('removes the read positions of the user and of friends in chats with the user, without a table scan', async () => {
    const rowsRead = await countRowsRead(DELETE_READ_POSITIONS_SQL, [ADA]);
    expect(await countRows('private_reads')).toBe(ROW_COUNT - OWN_ROW_COUNT);
    // PostgreSQL may read a deleted row from an index and from the table; the limit leaves a margin.
    expect(rowsRead).toBeLessThanOrEqual(3 * OWN_ROW_COUNT);
  });

  it('removes the keys of a sanction, and of sanctions inherited from it, without a scan of their table', async () => {
    const rowsRead = await countRowsRead(DELETE_BAN_KEYS_SQL, [1]);
    expect(await countRows('ban_keys')).toBe(ROW_COUNT - OWN_ROW_COUNT);
    // As above; the small table of sanctions may be read completely.
    expect(rowsRead).toBeLessThanOrEqual(3 * OWN_ROW_COUNT + SANCTION_COUNT);
  });
});
