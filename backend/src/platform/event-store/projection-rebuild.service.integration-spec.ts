// Uses real PostgreSQL. A rebuild fills copies of the read models' tables, and then replaces the tables with them.
import {
  createTestEventStore,
  createStreamId,
  createNoted,
  notesProjection,
  createSigned,
  type TestEventStore,
} from '../../testing/test-event-store.harness';
import { until } from '../../testing/until.functions';
import { ProjectionRebuildService } from './projection-rebuild.service';
import { ProjectionRegistry } from './projection.registry';

jest.setTimeout(30_000);

/** A rebuild must not delay other statements for longer: they fail if they wait for a lock for 1 s. */
const MAX_DELAY_MS = 900;

describe('a rebuild of the read models', () => {
  let store: TestEventStore;

  beforeAll(async () => {
    store = await createTestEventStore();
    await store.eventStore.append(createStreamId(), 'none', [createNoted('first'), createNoted('second')]);
    await store.eventStore.append(createStreamId(), 'none', [createSigned(7, 'Ada')]);
  });
  afterAll(() => store.close());

  it('restores missing rows and removes rows without an event', async () => {
    const before = await store.readRows('notes');
    await store.dataSource.query('DELETE FROM notes WHERE stream_position = 1');
    await store.dataSource.query(`INSERT INTO notes VALUES (999999, 'note-x', 1, 'without an event')`);
    const count = await store.rebuilder.rebuild();
    expect(count).toBe((await store.readRows('events')).length);
    expect(await store.readRows('notes')).toEqual(before);
  });

  it('applies the events of ten appends to one stream that run concurrently with it', async () => {
    const streamId = createStreamId();
    const appends = Array.from({ length: 10 }, (_, index) =>
      store.eventStore.append(streamId, 'any', [createNoted(`concurrent ${index}`)]),
    );
    await Promise.all([store.rebuilder.rebuild(), ...appends]);
    expect(await store.readRows('notes', streamId)).toHaveLength(10);
  });

  it('leaves the read models unchanged when it fails', async () => {
    const before = await store.readRows('notes');
    const failingProjections = new ProjectionRegistry();
    failingProjections.register({
      ...notesProjection,
      apply: async () => {
        throw new Error('projection failed');
      },
    });
    const rebuilder = new ProjectionRebuildService(store.dataSource, store.eventStore, failingProjections);
    await expect(rebuilder.rebuild()).rejects.toThrow('projection failed');
    expect(await store.readRows('notes')).toEqual(before);
  });

  it('applies events that are appended after the copies were created, or whose transaction commits then', async () => {
    const [committedLate, committedEarly] = [createStreamId(), createStreamId()];
    // The event of `committedLate` gets the lower position, but commits only while the rebuild is running.
    const appending = store.dataSource.createQueryRunner();
    await appending.startTransaction();
    await store.eventStore.append(committedLate, 'none', [createNoted('late')], appending.manager);
    await store.eventStore.append(committedEarly, 'none', [createNoted('early')]);
    const rebuilding = store.rebuilder.rebuild();
    await until(hasCopies);
    await store.eventStore.append(committedEarly, 1, [createNoted('during the rebuild')]);
    expect(await store.readRows('notes', committedEarly)).toHaveLength(2);
    await appending.commitTransaction();
    await appending.release();
    expect(await rebuilding).toBe((await store.readRows('events')).length);
    expect(await store.readRows('notes', committedLate)).toMatchObject([{ note: 'late' }]);
    expect(await store.readRows('notes', committedEarly)).toMatchObject([
      { note: 'early' },
      { note: 'during the rebuild' },
    ]);
  });

  it('keeps the event of a transaction that waits for the locked tables during the exchange', async () => {
    const streamId = createStreamId();
    const readPage = store.eventStore.readPage.bind(store.eventStore);
    let appending: Promise<unknown> | undefined;
    jest.spyOn(store.eventStore, 'readPage').mockImplementation(async (range, manager) => {
      // Only the exchange, which has locked the tables by then, reads without an upper end.
      const isExchange = range.upTo === Number.MAX_SAFE_INTEGER;
      if (isExchange && !appending) {
        appending = store.eventStore.append(streamId, 'none', [createNoted('waits for the new table')]);
        await until(() => isLockAwaited('RowExclusiveLock'));
      }
      return readPage(range, manager);
    });
    try {
      await store.rebuilder.rebuild();
    } finally {
      jest.restoreAllMocks();
    }
    await appending;
    expect(await store.readRows('notes', streamId)).toHaveLength(1);
    // Another rebuild gives the same rows, so the event is in the log, too.
    const before = await store.readRows('notes');
    await store.rebuilder.rebuild();
    expect(await store.readRows('notes')).toEqual(before);
  });

  it('waits for a long transaction that reads a table, and delays other reads and appends only briefly', async () => {
    const reading = store.dataSource.createQueryRunner();
    await reading.startTransaction();
    await reading.query('SELECT count(*) FROM notes');
    const tableIdBefore = await readTableId();
    let isRebuilt = false;
    const rebuilding = store.rebuilder.rebuild().finally(() => (isRebuilt = true));
    await until(() => isLockAwaited('AccessExclusiveLock'));
    const startedAt = performance.now();
    await store.readRows('notes');
    await store.eventStore.append(createStreamId(), 'none', [createNoted('beside a long transaction')]);
    expect(performance.now() - startedAt).toBeLessThan(MAX_DELAY_MS);
    expect(isRebuilt).toBe(false);
    expect(await readTableId()).toBe(tableIdBefore);
    await reading.commitTransaction();
    await reading.release();
    await rebuilding;
    expect(await readTableId()).not.toBe(tableIdBefore);
    expect(await hasCopies()).toBe(false);
  });

  it('replaces the copies of a rebuild that was killed, and refuses one of two concurrent calls', async () => {
    await store.dataSource.query('CREATE SCHEMA read_model_copies');
    await store.dataSource.query('CREATE TABLE read_model_copies.notes (left_over text)');
    const before = await store.readRows('notes');
    const outcomes = await Promise.allSettled([store.rebuilder.rebuild(), store.rebuilder.rebuild()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: 'A migration or another rebuild is running' },
    });
    expect(await store.readRows('notes')).toEqual(before);
  });

  it('refuses a table with a trigger, which the new table would not have', async () => {
    await store.dataSource.query(
      'CREATE TRIGGER kept BEFORE DELETE ON notes FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    );
    try {
      await expect(store.rebuilder.rebuild()).rejects.toThrow('parts that cannot be copied: notes');
    } finally {
      await store.dataSource.query('DROP TRIGGER kept ON notes');
    }
  });

  /** Whether the rebuild has created its copies of the tables. */
  const hasCopies = async (): Promise<boolean> => {
    const rows = await store.dataSource.query<unknown[]>(
      `SELECT 1 FROM pg_tables WHERE schemaname = 'read_model_copies'`,
    );
    return rows.length > 0;
  };
  /** Returns the id of the table `notes`, which changes when the table is exchanged. */
  const readTableId = async (): Promise<unknown> =>
    (await store.dataSource.query<{ id: unknown }[]>(`SELECT 'notes'::regclass::oid AS id`))[0]?.id;
  /** Whether a transaction waits for a lock of this mode on the table `notes`. */
  const isLockAwaited = async (mode: string): Promise<boolean> => {
    const rows = await store.dataSource.query<unknown[]>(
      `SELECT 1 FROM pg_locks JOIN pg_class ON pg_class.oid = relation
       WHERE mode = $1 AND NOT granted AND relname = 'notes' AND relnamespace = 'public'::regnamespace`,
      [mode],
    );
    return rows.length > 0;
  };
});
