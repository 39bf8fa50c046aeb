/**
 * The migration that partitions the events, as the process that an operator runs, is killed repeatedly while the
 * service appends, changes and deletes. The long form (THAW_TEST_LONG=1) has more data and more kills.
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

const isLong = process.env.THAW_TEST_LONG === '1';
const CHATS = isLong ? 5_000 : 400;
const EVENTS_EACH = isLong ? 60 : 25;
const KILLS_IN_EACH_TABLE = isLong ? 5 : 1;

jest.setTimeout(isLong ? 600_000 : 60_000);

let database: UnpartitionedDatabase;
/** For statements that take longer than the service allows. */
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

const read = async <Row>(sql: string): Promise<Row> => (await operator.query<Row[]>(sql))[0]!;

const startMigration = (): ThawProcess =>
  (migration = new ThawProcess('migrate', {
    DATABASE_URL: database.url,
    REDIS_URL: process.env.REDIS_URL ?? '',
    RECEIPT_KEY: process.env.RECEIPT_KEY ?? '',
  }));

/** What has been copied; empty before the tables for it exist. */
const readProgress = async (): Promise<{ events: string; personal: string }> => {
  const { exists } = await read<{ exists: boolean }>(
    `SELECT to_regclass('event_partitioning') IS NOT NULL AS exists`,
  );
  if (!exists) return { events: '0', personal: '' };
  return read(`SELECT events_after AS events, private_after_stream AS personal FROM event_partitioning`);
};

const killAfterProgressIn = async (table: 'events' | 'personal'): Promise<void> => {
  const before = (await readProgress())[table];
  const running = startMigration();
  await until(
    async () => (await readProgress())[table],
    (now) => now !== before,
    60_000,
  );
  await running.kill();
};

it('continues after each kill and converts everything, while the service writes', async () => {
  await writeChats(operator, CHATS, EVENTS_EACH);
  const rows = await operator.query<PrivateRow[]>(
    'SELECT stream_id, event_id FROM event_private ORDER BY random() LIMIT 5000',
  );
  const { before } = await read<{ before: number }>('SELECT count(*)::int AS before FROM event_private');
  const busy = new BusyEventStore(database.service);
  busy.start(rows, { isFollowed: false });
  for (const table of ['events', 'personal'] as const)
    for (let kill = 0; kill < KILLS_IN_EACH_TABLE; kill += 1) await killAfterProgressIn(table);
  expect(await startMigration().ended).toMatchObject({ code: 0, stderr: '' });
  const { length } = busy.appended;
  await until(() => busy.appended.length > length);
  await busy.stop();

  expect(await read(`SELECT relkind FROM pg_class WHERE relname = 'events'`)).toEqual({ relkind: 'p' });
  expect(
    await read(`SELECT count(*)::int AS count, count(DISTINCT event_id)::int AS ids FROM events`),
  ).toEqual({
    count: CHATS * EVENTS_EACH + busy.appended.length,
    ids: CHATS * EVENTS_EACH + busy.appended.length,
  });
  expect(
    await operator.query(
      `SELECT stream_id FROM events JOIN event_streams s USING (stream_id) GROUP BY stream_id, s.version
       HAVING max(stream_position) <> s.version OR count(*) <> s.version`,
    ),
  ).toEqual([]);
  const { signed } = await read<{ signed: number }>(
    `SELECT count(*)::int AS signed FROM events WHERE type LIKE 'Signed%'`,
  );
  expect(await read('SELECT count(*)::int AS count FROM event_private')).toEqual({
    count: before - busy.deleted.size + signed,
  });
  const changed = await operator.query<{ id: string; content: string }[]>(
    `SELECT event_id AS id, data->>'content' AS content FROM event_private WHERE data->>'content' LIKE 'changed%'`,
  );
  expect(new Map(changed.map(({ id, content }) => [id, content]))).toEqual(busy.changed);
});
