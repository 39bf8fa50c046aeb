// Uses real PostgreSQL. EXPLAIN ANALYZE counts the rows that a query reads.
import { limits } from '@thaw/contract/limits';
import { DELETE_READ_POSITIONS_SQL } from './modules/my-data/infrastructure/user-data.repository';
import { UNREAD_COUNTS_SQL } from './modules/private-chat/infrastructure/private-message.repository';
import { LATEST_CHATS_SQL } from './modules/random-chat/infrastructure/chat-history.repository';
import { DELETE_BAN_KEYS_SQL } from './modules/standings/infrastructure/ban-key.repository';
import { createTestDatabase, type TestDatabase } from './testing/test-database.harness';

jest.setTimeout(60_000);

// User ids.
const ADA = 1;
const BOB = 2;
/** Rows of a table that a statement must not read completely. */
const ROW_COUNT = 20_000;

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
  const rowsOfChildren = (node.Plans ?? []).reduce((sum, child) => sum + countRowsOfScans(child), 0);
  // Such as `Index Scan`, `Index Only Scan`, `Bitmap Heap Scan` and `Seq Scan`.
  const isScan = /(Index|Seq|Heap) .*Scan/.test(node['Node Type']);
  if (!isScan) return rowsOfChildren;
  const rowsPerLoop =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return rowsOfChildren + rowsPerLoop * node['Actual Loops'];
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
  const CHAT_COUNT = 60_000;
  const CHATS_PER_PAGE = limits.chatHistoryMaxEntries;
  /** The unread count at which the service stops counting. */
  const MAX_UNREAD_COUNT = 100;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    // Of every 30 chats, Ada is the first user of two, and the second user of one. Other users have a single chat.
    await dataSource.query(
      `INSERT INTO chat_history (id, stream_id, user1_id, user2_id, created_at)
       SELECT n, 'chat-' || n,
         CASE WHEN n % 30 IN (0, 1) THEN $1 ELSE 1000 + n END,
         CASE WHEN n % 30 = 2 THEN $1 ELSE 2000000 + n END,
         now()
       FROM generate_series(1, $2) AS n`,
      [ADA, CHAT_COUNT],
    );
    // Bob has sent all messages to Ada. Every tenth one is deleted.
    await dataSource.query(
      `INSERT INTO private_messages (id, sender_id, receiver_id, type, content, created_at, is_deleted)
       SELECT n, $2, $1, 'text', 'hello', now(), n % 10 = 0 FROM generate_series(1, $3) AS n`,
      [ADA, BOB, ROW_COUNT],
    );
    await dataSource.query('VACUUM ANALYZE chat_history, private_messages');
  });
  afterEach(async () => {
    await database.dataSource.query('DELETE FROM private_reads');
  });
  afterAll(() => database.close());

  const countRowsRead = (sql: string, parameters: unknown[]) =>
    runAndCountRowsRead(database, sql, parameters);
  const setReadPosition = async (messageId: number): Promise<void> => {
    await database.dataSource.query(
      'INSERT INTO private_reads (user_id, friend_id, read_up_to) VALUES ($1, $2, $3)',
      [ADA, BOB, messageId],
    );
  };
  const unreadParameters = [ADA, [BOB], MAX_UNREAD_COUNT];
  const queryUnreadCounts = (): Promise<unknown> =>
    database.dataSource.query(UNREAD_COUNTS_SQL, unreadParameters);

  it('finds the latest chats in which the user is either the first or the second user', async () => {
    const rows = await database.dataSource.query<{ id: string }[]>(LATEST_CHATS_SQL, [ADA, CHATS_PER_PAGE]);
    const expectedIds: number[] = [];
    for (let id = CHAT_COUNT; expectedIds.length < CHATS_PER_PAGE; id -= 1) {
      if (id % 30 <= 2) expectedIds.push(id);
    }
    expect(rows.map(({ id }) => Number(id))).toEqual(expectedIds);
  });

  it('reads at most two pages of rows for the chat history, however many chats the user has', async () => {
    const rowsRead = await countRowsRead(LATEST_CHATS_SQL, [ADA, CHATS_PER_PAGE]);
    expect(rowsRead).toBeGreaterThanOrEqual(CHATS_PER_PAGE);
    // A page of chats in which Ada is the first user, and a page of those in which Ada is the second.
    expect(rowsRead).toBeLessThanOrEqual(2 * CHATS_PER_PAGE);
  });

  it('reads no more messages of a friend than it counts as unread, however many are unread', async () => {
    const rowsRead = await countRowsRead(UNREAD_COUNTS_SQL, unreadParameters);
    expect(rowsRead).toBeGreaterThanOrEqual(MAX_UNREAD_COUNT);
    expect(rowsRead).toBeLessThanOrEqual(MAX_UNREAD_COUNT + 1); // and the read position, if there is one
  });

  it.each([
    { newerMessages: 110, deleted: 11, count: 99 },
    { newerMessages: 120, deleted: 12, count: MAX_UNREAD_COUNT },
  ])(
    'counts $count unread messages if $newerMessages follow the read position and $deleted of them are deleted',
    async ({ newerMessages, count }) => {
      await setReadPosition(ROW_COUNT - newerMessages);
      expect(await queryUnreadCounts()).toEqual([{ friend_id: String(BOB), count }]);
    },
  );

  it('counts 100 unread messages if the user has read no message of the friend', async () => {
    expect(await queryUnreadCounts()).toEqual([{ friend_id: String(BOB), count: MAX_UNREAD_COUNT }]);
  });

  it('returns no unread count for a friend whose messages the user has all read', async () => {
    await setReadPosition(ROW_COUNT);
    expect(await queryUnreadCounts()).toEqual([]);
  });
});

describe('a statement that deletes the rows of a user or a sanction', () => {
  /** Rows that each statement deletes. */
  const DELETED_COUNT = 20;
  const SANCTION_COUNT = 100;
  /** PostgreSQL may read a deleted row from an index and from the table; the limit leaves a margin. */
  const MAX_READS_PER_DELETED_ROW = 3;
  /** Imposed on an earlier account of the user with the inherited sanction. */
  const EARLIER_SANCTION_ID = 1;
  const INHERITED_SANCTION_ID = 2;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    // The read positions of Ada, of friends in chats with Ada, and of other users.
    await dataSource.query(
      `INSERT INTO private_reads (user_id, friend_id, read_up_to)
       SELECT $1::bigint, 900000 + n, 1 FROM generate_series(1, $2::int) AS n
       UNION ALL
       SELECT 1000 + n, $1::bigint, 1 FROM generate_series($2::int + 1, $3::int) AS n
       UNION ALL
       SELECT 1000 + n, 900000 + n, 1 FROM generate_series($3::int + 1, $4::int) AS n`,
      [ADA, DELETED_COUNT / 2, DELETED_COUNT, ROW_COUNT],
    );
    await dataSource.query(
      `INSERT INTO sanctions (id, user_id, kind, rule, starts_at, notice_id, is_automatic, inherited_from)
       SELECT n, n, 'suspended', 'harassment', now(), n, false, CASE WHEN n = $1::int THEN $2::int END
       FROM generate_series(1, $3::int) AS n`,
      [INHERITED_SANCTION_ID, EARLIER_SANCTION_ID, SANCTION_COUNT],
    );
    // Keys are hashes by which new accounts of sanctioned users are recognised. Each of the two sanctions has half of
    // the keys that the statement deletes.
    await dataSource.query(
      `INSERT INTO ban_keys (kind, key_hash, sanction_id, expires_at)
       SELECT 'device', 'hash ' || n,
         CASE WHEN n <= $3::int / 2 THEN $1::int WHEN n <= $3::int THEN $2::int ELSE 1000 + n END,
         now() + interval '1 day'
       FROM generate_series(1, $4::int) AS n`,
      [EARLIER_SANCTION_ID, INHERITED_SANCTION_ID, DELETED_COUNT, ROW_COUNT],
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
    expect(await countRows('private_reads')).toBe(ROW_COUNT - DELETED_COUNT);
    expect(rowsRead).toBeLessThanOrEqual(MAX_READS_PER_DELETED_ROW * DELETED_COUNT);
  });

  it('removes the keys of a sanction, and of sanctions inherited from it, without a scan of their table', async () => {
    const rowsRead = await countRowsRead(DELETE_BAN_KEYS_SQL, [EARLIER_SANCTION_ID]);
    expect(await countRows('ban_keys')).toBe(ROW_COUNT - DELETED_COUNT);
    // The small table of sanctions may be read completely.
    expect(rowsRead).toBeLessThanOrEqual(MAX_READS_PER_DELETED_ROW * DELETED_COUNT + SANCTION_COUNT);
  });
});
