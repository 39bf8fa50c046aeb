/**
 * Runs the migration that partitions the tables `events` and `event_private` (the personal data of events), and kills
 * it repeatedly while the service appends, changes and deletes rows. The migration runs in its own process, as when an
 * operator starts it. The long form (THAW_TEST_LONG=1) has more data and more kills.
 */
import type { DataSource } from 'typeorm';
import { BusyEventStore, type PrivateRow } from '../src/testing/busy-event-store.driver';
import {
  createUnpartitionedDatabase,
  dropUnpartitionedTemplate,
  type UnpartitionedDatabase,
  writeChats,
} from '../src/testing/unpartitioned-database.fixture';
import { until } from '../src/testing/until.functions';
import { ThawProcess } from './thaw-process';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const CHAT_COUNT = isLongRun ? 5_000 : 400;
const EVENTS_PER_CHAT = isLongRun ? 60 : 25;
const KILLS_PER_TABLE = isLongRun ? 5 : 1;
/** The tables, in the order in which the migration copies them. */
const tables = ['events', 'event_private'] as const;
type Table = (typeof tables)[number];

jest.setTimeout(isLongRun ? 600_000 : 60_000);

let database: UnpartitionedDatabase;
/** Connections for statements that take longer than the time-outs of the service. */
let operator: DataSource;
let migration: ThawProcess | undefined;

beforeAll(async () => {
  database = await createUnpartitionedDatabase();
  operator = await database.connect();
});
afterAll(async () => {
  await migration?.kill();
  await operator?.destroy();
  await database.close();
  await dropUnpartitionedTemplate();
});

const readRow = async <Row>(sql: string): Promise<Row> => (await operator.query<Row[]>(sql))[0]!;

const startMigration = (): ThawProcess => {
  migration = new ThawProcess('migrate', {
    DATABASE_URL: database.url,
    REDIS_URL: process.env.REDIS_URL ?? '',
    RECEIPT_KEY: process.env.RECEIPT_KEY ?? '',
  });
  return migration;
};

/** Reads, for each table, the key of the row that the migration has copied last (or the first column of the key). */
const readProgress = async (): Promise<Record<Table, string>> => {
  const { exists } = await readRow<{ exists: boolean }>(
    `SELECT to_regclass('event_partitioning') IS NOT NULL AS exists`,
  );
  if (!exists) return { events: '0', event_private: '' }; // the migration has not begun
  return readRow(
    `SELECT events_after AS events, private_after_stream AS event_private FROM event_partitioning`,
  );
};

/** Starts the migration and kills it after it has copied more rows of the table. */
const killAfterProgressIn = async (table: Table): Promise<void> => {
  const before = (await readProgress())[table];
  const running = startMigration();
  await until(
    async () => (await readProgress())[table],
    (progress) => progress !== before,
    60_000,
  );
  await running.kill();
};

const expectPartitionedEvents = async (): Promise<void> => {
  // Kind `p` is a partitioned table.
  expect(await readRow(`SELECT relkind FROM pg_class WHERE relname = 'events'`)).toEqual({ relkind: 'p' });
};

const expectEachEventOnce = async (eventCount: number): Promise<void> => {
  expect(
    await readRow(`SELECT count(*)::int AS count, count(DISTINCT event_id)::int AS ids FROM events`),
  ).toEqual({ count: eventCount, ids: eventCount });
};

/** Each stream has all its events, from position 1 to its version. */
const expectCompleteStreams = async (): Promise<void> => {
  const incompleteStreams = await operator.query<object[]>(
    `SELECT stream_id FROM events JOIN event_streams s USING (stream_id) GROUP BY stream_id, s.version
     HAVING max(stream_position) <> s.version OR count(*) <> s.version`,
  );
  expect(incompleteStreams).toEqual([]);
};

/** The rows of personal data include those that the service added, and its changes. Those that it deleted are gone. */
const expectPersonalData = async (rowsBefore: number, service: BusyEventStore): Promise<void> => {
  // Each event that the service appended with a type `Signed…` has one row of personal data.
  const { added } = await readRow<{ added: number }>(
    `SELECT count(*)::int AS added FROM events WHERE type LIKE 'Signed%'`,
  );
  expect(await readRow('SELECT count(*)::int AS count FROM event_private')).toEqual({
    count: rowsBefore - service.deleted.size + added,
  });
  const changed = await operator.query<{ id: string; content: string }[]>(
    `SELECT event_id AS id, data->>'content' AS content FROM event_private WHERE data->>'content' LIKE 'changed%'`,
  );
  expect(new Map(changed.map(({ id, content }) => [id, content]))).toEqual(service.changed);
};

it('continues after each kill and converts everything, while the service writes', async () => {
  await writeChats(operator, CHAT_COUNT, EVENTS_PER_CHAT);
  const rowsToChange = await operator.query<PrivateRow[]>(
    'SELECT stream_id, event_id FROM event_private ORDER BY random() LIMIT 5000',
  );
  const { rowsBefore } = await readRow<{ rowsBefore: number }>(
    'SELECT count(*)::int AS "rowsBefore" FROM event_private',
  );
  const service = new BusyEventStore(database.apiDataSource);
  // No reader follows the log: each read would scan the whole table, which is large here.
  service.start(rowsToChange, { isFollowed: false });
  for (const table of tables)
    for (let kill = 0; kill < KILLS_PER_TABLE; kill += 1) await killAfterProgressIn(table);
  expect(await startMigration().ended).toMatchObject({ code: 0, stderr: '' });
  // The service can still append.
  const { length } = service.appended;
  await until(() => service.appended.length > length);
  await service.stop();

  await expectPartitionedEvents();
  await expectEachEventOnce(CHAT_COUNT * EVENTS_PER_CHAT + service.appended.length);
  await expectCompleteStreams();
  await expectPersonalData(rowsBefore, service);
});
