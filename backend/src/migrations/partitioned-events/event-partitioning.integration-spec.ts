// Uses real PostgreSQL, with a database of its own that has the schema before the partitioning.
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { BusyEventStore, type PrivateRow } from '../../testing/busy-event-store.driver';
import {
  createUnpartitionedDatabase,
  dropUnpartitionedTemplate,
  type UnpartitionedDatabase,
  writeChats,
} from '../../testing/unpartitioned-database.fixture';
import { until } from '../../testing/until.functions';
import { EventPartitioning, type PartitioningOptions } from './event-partitioning.model';

jest.setTimeout(60_000);

let database: UnpartitionedDatabase;
let apiDataSource: DataSource;

beforeEach(async () => {
  database = await createUnpartitionedDatabase();
  ({ apiDataSource } = database);
});
afterEach(() => database.close());
afterAll(dropUnpartitionedTemplate);

const readRows = <Row = Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]> =>
  apiDataSource.query<Row[]>(sql, parameters);

/** Runs the conversion in its own connection, as a process that migrates does. */
const convert = async (options: PartitioningOptions = {}): Promise<void> => {
  const owner = await database.connect();
  try {
    await new EventPartitioning(owner.createQueryRunner(), options).run();
  } finally {
    await owner.destroy();
  }
};

const readLog = () =>
  readRows('SELECT e.*, tableoid::regclass::text AS partition FROM events e ORDER BY global_position');
const readPersonalData = () => readRows('SELECT * FROM event_private ORDER BY stream_id, event_id');
const withoutPartition = (log: readonly Record<string, unknown>[]) =>
  log.map(({ partition: _partition, ...row }) => row);
const isPartitioned = async (): Promise<boolean> =>
  (
    await readRows<{ is_partitioned: boolean }>(
      `SELECT relkind = 'p' AS is_partitioned FROM pg_class WHERE oid = 'events'::regclass`,
    )
  )[0]!.is_partitioned;

describe('EventPartitioning', () => {
  it('converts all data, even if it is interrupted after every step', async () => {
    // 240 chats of 3 events: 720 events, in four batches of up to 200.
    await writeChats(apiDataSource, 240, 3);
    const [log, personalData] = [withoutPartition(await readLog()), await readPersonalData()];
    const [sequence] = await readRows<{ last_position: string }>(
      'SELECT last_value AS last_position FROM events_global_position_seq',
    );

    const steps: string[] = [];
    const interrupt = (step: string) => {
      // Interrupts each step once. Every batch is a step, and the batches of a table have the same name, `copied …`.
      if (steps.includes(step) && !step.startsWith('copied')) return;
      steps.push(step);
      throw new Error('interrupted');
    };
    while (!(await isPartitioned())) {
      await expect(convert({ onStep: interrupt, batchRows: 200 })).rejects.toThrow('interrupted');
    }
    await convert(); // has nothing left to do, because the interruption came after the swap
    expect(steps).toEqual([
      'prepared',
      ...Array.from({ length: 4 }, () => 'copied events'),
      'filled events',
      ...Array.from({ length: 4 }, () => 'copied personal data'),
      'filled personal data',
      'verified',
      'swapped',
    ]);

    const converted = await readLog();
    expect(withoutPartition(converted)).toEqual(log);
    expect(await readPersonalData()).toEqual(personalData);
    expect(new Set(converted.map((row) => row.partition)).size).toBe(16); // the number of partitions
    // The next event continues the sequence of positions.
    const [appended] = await readRows<{ global_position: string }>(
      `INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
       VALUES ('later', 1, gen_random_uuid(), 'Tested', 1, '{}', '{}', now()) RETURNING global_position`,
    );
    expect(Number(appended!.global_position)).toBe(Number(sequence!.last_position) + 1);
    // No table or function of the conversion is left.
    expect(
      await readRows(
        `SELECT relname FROM pg_class WHERE relname LIKE 'partitioned%' OR relname = 'event_partitioning'`,
      ),
    ).toEqual([]);
    expect(await readRows(`SELECT proname FROM pg_proc WHERE proname LIKE 'mirror%'`)).toEqual([]);
  });

  it('loses, repeats and restores no data while the service appends, changes, deletes and reads', async () => {
    await writeChats(apiDataSource, 40, 20);
    const before = await readRows<PrivateRow>(
      'SELECT stream_id, event_id FROM event_private ORDER BY random()',
    );
    const busy = new BusyEventStore(apiDataSource);
    busy.start(before); // changes or deletes these rows
    await until(() => busy.appended.length > 20);
    await convert({
      batchRows: 120,
      // Continues only when the service has appended again.
      onStep: async () => {
        const { length } = busy.appended;
        await until(() => busy.appended.length > length);
      },
    });
    const { length } = busy.appended;
    await until(() => busy.appended.length > length + 20);
    await busy.stop();

    const log = await readRows<{ event_id: string }>(
      'SELECT event_id FROM events ORDER BY transaction_id, global_position',
    );
    expect(log).toHaveLength(40 * 20 + busy.appended.length);
    // A reader that follows the log has read each event once, in this order.
    expect(busy.followed).toEqual(log.map((row) => row.event_id));
    expect(new Set(busy.followed).size).toBe(log.length);
    for (const eventId of busy.appended) expect(busy.followed).toContain(eventId);
    // In each stream, the last position and the number of events are equal to the version, so there are no gaps.
    expect(
      await readRows(`SELECT stream_id FROM events JOIN event_streams s USING (stream_id) GROUP BY stream_id, s.version
        HAVING max(stream_position) <> s.version OR count(*) <> s.version`),
    ).toEqual([]);

    expect(busy.deleted.size).toBeGreaterThan(10);
    const after = await readRows<PrivateRow & { data: { content?: string } }>('SELECT * FROM event_private');
    const contents = new Map(after.map((row) => [row.event_id, row.data.content]));
    for (const { event_id: eventId } of before) {
      const content = contents.get(eventId);
      if (busy.deleted.has(eventId)) expect(content).toBeUndefined();
      else if (busy.changed.has(eventId)) expect(content).toBe(busy.changed.get(eventId));
      else expect(content).toMatch(/^text /);
    }
    // Of the events that the driver appends, only those of the types `Signed…` have personal data.
    const signed = await readRows(`SELECT 1 FROM events WHERE type LIKE 'Signed%'`);
    expect(after).toHaveLength(before.length - busy.deleted.size + signed.length);
  });

  it('waits for readers whose snapshot is older than the copies, while the service continues to append', async () => {
    await writeChats(apiDataSource, 10, 10);
    const busy = new BusyEventStore(apiDataSource);
    const reader = apiDataSource.createQueryRunner();
    await reader.startTransaction('REPEATABLE READ');
    // The reader has a snapshot now, but no lock on the log yet.
    await reader.query('SELECT 1 FROM event_streams');
    busy.start([]);
    const steps: string[] = [];
    const converting = convert({ onStep: (step) => void steps.push(step) });
    await until(() => steps.includes('verified'));
    const { length } = busy.appended;
    await until(() => busy.appended.length > length + 50);
    expect(await isPartitioned()).toBe(false);
    expect(await reader.query('SELECT count(*)::int AS count FROM events')).toEqual([{ count: 100 }]);
    await reader.commitTransaction();
    await reader.release();
    await converting;
    await busy.stop();
    expect(await isPartitioned()).toBe(true);
  });

  it('removes copies that differ, changes nothing else, and succeeds the next time', async () => {
    await writeChats(apiDataSource, 5, 10);
    const [log, personalData] = [withoutPartition(await readLog()), await readPersonalData()];
    const changeCopy = async (step: string) => {
      if (step === 'filled personal data')
        await apiDataSource.query(`UPDATE partitioned_event_private SET data = '{"content": "other"}'`);
    };
    await expect(convert({ onStep: changeCopy })).rejects.toThrow('not equal');
    expect(withoutPartition(await readLog())).toEqual(log);
    expect(await readPersonalData()).toEqual(personalData);
    await convert();
    expect(await isPartitioned()).toBe(true);
  });

  it('keeps owners, privileges, storage parameters and the exclusion of personal data from statistics', async () => {
    const createRoleName = () => `thaw_test_${randomBytes(4).toString('hex')}`;
    const [owner, api] = [createRoleName(), createRoleName()];
    await apiDataSource.query(`
      CREATE ROLE ${owner}; CREATE ROLE ${api};
      ALTER TABLE events OWNER TO ${owner};
      GRANT SELECT, INSERT ON events TO ${api};
      GRANT SELECT, INSERT, UPDATE, DELETE ON event_private TO ${api};
      GRANT SELECT, INSERT, UPDATE ON event_streams TO ${api};
      ALTER TABLE event_private SET (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_enabled = false)`);
    await writeChats(apiDataSource, 300, 3); // enough for rows in every partition
    await convert();
    try {
      expect(
        await readRows(
          `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relname ~ '^events(_p..)?$' AND relkind IN ('r', 'p')`,
        ),
      ).toEqual([{ owner }]);
      const partitions = `SELECT inhrelid FROM pg_inherits WHERE inhparent = 'event_private'::regclass`;
      expect(
        await readRows(
          `SELECT DISTINCT c.reloptions, t.reloptions AS toast FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid
           WHERE c.oid IN (${partitions})`,
        ),
      ).toEqual([
        { reloptions: ['autovacuum_vacuum_scale_factor=0.02'], toast: ['autovacuum_enabled=false'] },
      ]);
      await apiDataSource.query('ANALYZE');
      expect(
        await readRows(
          `SELECT DISTINCT tablename FROM pg_stats WHERE tablename LIKE 'event_private%' AND attname = 'data'`,
        ),
      ).toEqual([]);

      await apiDataSource.transaction(async (manager) => {
        await manager.query(`SET LOCAL ROLE ${api}`);
        await writeChats(manager, 3, 5);
        await manager.query(`UPDATE event_private SET data = '{}'`);
      });
      // The log stays append-only: the service lacks the privileges, and triggers refuse the owner.
      for (const statement of [
        `UPDATE events SET type = 'Other'`,
        'TRUNCATE events',
        'DELETE FROM events_p00',
        'TRUNCATE events_p00',
      ]) {
        const run = (role: string) =>
          apiDataSource.transaction(async (manager) => {
            await manager.query(`SET LOCAL ROLE ${role}`);
            await manager.query(statement);
          });
        await expect(run(api)).rejects.toMatchObject({ code: '42501' }); // insufficient_privilege
        await expect(run(owner)).rejects.toThrow('append-only');
      }
    } finally {
      await apiDataSource.query(`DROP OWNED BY ${api}; REASSIGN OWNED BY ${owner} TO CURRENT_USER; DROP OWNED BY ${owner};
        DROP ROLE ${api}; DROP ROLE ${owner}`);
    }
  });

  it('refuses the deletions by `ctid` of the previous release, because a `ctid` is no longer unique', async () => {
    await writeChats(apiDataSource, 10, 10);
    await convert();
    const before = await readPersonalData();
    await expect(
      apiDataSource.query(
        `DELETE FROM event_private WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM event_private WHERE subject_id = $1 LIMIT $2))`,
        [1, 100],
      ),
    ).rejects.toMatchObject({ code: '55000' }); // object_not_in_prerequisite_state, from the trigger
    expect(await readPersonalData()).toEqual(before);
  });
});
