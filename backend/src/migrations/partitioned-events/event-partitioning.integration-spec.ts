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
  const dataSource = await database.connect();
  try {
    await new EventPartitioning(dataSource.createQueryRunner(), options).run();
  } finally {
    await dataSource.destroy();
  }
};

const readLog = () =>
  readRows('SELECT e.*, tableoid::regclass::text AS partition FROM events e ORDER BY global_position');
const readPersonalData = () => readRows('SELECT * FROM event_private ORDER BY stream_id, event_id');
const withoutPartition = (log: readonly Record<string, unknown>[]) =>
  log.map(({ partition: _partition, ...row }) => row);
const isPartitioned = async (): Promise<boolean> => {
  const [events] = await readRows<{ is_partitioned: boolean }>(
    `SELECT relkind = 'p' AS is_partitioned FROM pg_class WHERE oid = 'events'::regclass`,
  );
  return events!.is_partitioned;
};

/** Runs the conversion until it is complete, interrupting it after every step. @returns the names of the steps */
const convertWithInterruptions = async (options: PartitioningOptions): Promise<string[]> => {
  const steps: string[] = [];
  const onStep = (step: string) => {
    // A conversion that continues reports completed steps again, except batches, whose names all begin with `copied`.
    const isRepetition = steps.includes(step) && !step.startsWith('copied');
    if (isRepetition) return;
    steps.push(step);
    throw new Error('interrupted');
  };
  while (!(await isPartitioned())) {
    await expect(convert({ ...options, onStep })).rejects.toThrow('interrupted');
  }
  // Has nothing left to do, because the last interruption came after the swap.
  await convert();
  return steps;
};

/** Waits until the service has appended `count` more events. */
const waitForAppends = async ({ appended }: BusyEventStore, count: number): Promise<void> => {
  const lengthBefore = appended.length;
  await until(() => appended.length >= lengthBefore + count);
};

interface BusyConversion {
  busy: BusyEventStore;
  /** The keys of the personal data before the conversion. The service changes or deletes these rows. */
  before: PrivateRow[];
}

/** Converts 40 chats of 20 events while the service appends, changes, deletes and reads. */
const convertWhileBusy = async (): Promise<BusyConversion> => {
  await writeChats(apiDataSource, 40, 20);
  const before = await readRows<PrivateRow>(
    'SELECT stream_id, event_id FROM event_private ORDER BY random()',
  );
  const busy = new BusyEventStore(apiDataSource);
  busy.start(before);
  await waitForAppends(busy, 25);
  // Each step continues only when the service has appended again.
  await convert({ batchRows: 120, onStep: () => waitForAppends(busy, 1) });
  await waitForAppends(busy, 25);
  await busy.stop();
  return { busy, before };
};

/** `owner` owns the log; `api` has the privileges of the service. */
interface Roles {
  owner: string;
  api: string;
}

/** Runs `work` with new roles, and drops them, because they belong to the server and not to the database. */
const withRoles = async (work: (roles: Roles) => Promise<void>): Promise<void> => {
  const createName = () => `thaw_test_${randomBytes(4).toString('hex')}`;
  const [owner, api] = [createName(), createName()];
  await apiDataSource.query(`
    CREATE ROLE ${owner}; CREATE ROLE ${api};
    ALTER TABLE events OWNER TO ${owner};
    GRANT SELECT, INSERT ON events TO ${api};
    GRANT SELECT, INSERT, UPDATE, DELETE ON event_private TO ${api};
    GRANT SELECT, INSERT, UPDATE ON event_streams TO ${api}`);
  try {
    await work({ owner, api });
  } finally {
    await apiDataSource.query(`
      DROP OWNED BY ${api}; REASSIGN OWNED BY ${owner} TO CURRENT_USER; DROP OWNED BY ${owner};
      DROP ROLE ${api}; DROP ROLE ${owner}`);
  }
};

describe('EventPartitioning', () => {
  it('continues after the last committed step when it is interrupted', async () => {
    // 240 chats of 3 events: 720 events, in four batches of up to 200.
    await writeChats(apiDataSource, 240, 3);
    expect(await convertWithInterruptions({ batchRows: 200 })).toEqual([
      'prepared',
      ...Array.from({ length: 4 }, () => 'copied events'),
      'filled events',
      ...Array.from({ length: 4 }, () => 'copied personal data'),
      'filled personal data',
      'verified',
      'swapped',
    ]);
  });

  it('converts all data, even if it is interrupted after every step', async () => {
    await writeChats(apiDataSource, 240, 3);
    const [log, personalData] = [withoutPartition(await readLog()), await readPersonalData()];
    const [sequence] = await readRows<{ last_position: string }>(
      'SELECT last_value AS last_position FROM events_global_position_seq',
    );
    await convertWithInterruptions({ batchRows: 200 });

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

  it('neither loses nor repeats an event while the service appends and reads', async () => {
    const { busy } = await convertWhileBusy();
    const log = await readRows<{ event_id: string }>(
      'SELECT event_id FROM events ORDER BY transaction_id, global_position',
    );
    expect(log).toHaveLength(40 * 20 + busy.appended.length);
    // A reader that follows the log has read each event once, in this order.
    expect(busy.followed).toEqual(log.map((row) => row.event_id));
    expect(new Set(busy.followed).size).toBe(log.length);
    for (const eventId of busy.appended) expect(busy.followed).toContain(eventId);
    const streamsWithGaps = await readRows(
      `SELECT stream_id FROM events JOIN event_streams s USING (stream_id) GROUP BY stream_id, s.version
       HAVING max(stream_position) <> s.version OR count(*) <> s.version`,
    );
    expect(streamsWithGaps).toEqual([]);
  });

  it('neither loses nor restores personal data while the service changes and deletes it', async () => {
    const { busy, before } = await convertWhileBusy();
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
    await waitForAppends(busy, 60);
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

  it('keeps owners, storage parameters and the exclusion of personal data from statistics', () =>
    withRoles(async ({ owner }) => {
      await apiDataSource.query(
        'ALTER TABLE event_private SET (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_enabled = false)',
      );
      await writeChats(apiDataSource, 300, 3); // enough for rows in every partition
      await convert();

      const owners = await readRows(
        `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class
         WHERE relname ~ '^events(_p..)?$' AND relkind IN ('r', 'p')`,
      );
      expect(owners).toEqual([{ owner }]);
      const storageParameters = await readRows(
        `SELECT DISTINCT c.reloptions, t.reloptions AS toast
         FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid
         WHERE c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'event_private'::regclass)`,
      );
      expect(storageParameters).toEqual([
        { reloptions: ['autovacuum_vacuum_scale_factor=0.02'], toast: ['autovacuum_enabled=false'] },
      ]);
      await apiDataSource.query('ANALYZE');
      const statistics = await readRows(
        `SELECT DISTINCT tablename FROM pg_stats WHERE tablename LIKE 'event_private%' AND attname = 'data'`,
      );
      expect(statistics).toEqual([]);
    }));

  it('keeps the privileges of the service, and the log append-only', () =>
    withRoles(async ({ owner, api }) => {
      await writeChats(apiDataSource, 300, 3); // enough for rows in every partition
      await convert();
      await apiDataSource.transaction(async (manager) => {
        await manager.query(`SET LOCAL ROLE ${api}`);
        await writeChats(manager, 3, 5);
        await manager.query(`UPDATE event_private SET data = '{}'`);
      });

      const runAs = (role: string, statement: string) =>
        apiDataSource.transaction(async (manager) => {
          await manager.query(`SET LOCAL ROLE ${role}`);
          await manager.query(statement);
        });
      // The service lacks the privileges, and triggers refuse the owner.
      for (const statement of [
        `UPDATE events SET type = 'Other'`,
        'TRUNCATE events',
        'DELETE FROM events_p00',
        'TRUNCATE events_p00',
      ]) {
        await expect(runAs(api, statement)).rejects.toMatchObject({ code: '42501' }); // insufficient_privilege
        await expect(runAs(owner, statement)).rejects.toThrow('append-only');
      }
    }));

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
