// Uses real PostgreSQL. A rebuild fills copies of the read models' tables. The exchange then locks the tables, applies
// the remaining events, and replaces the tables with the copies.
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

/** Longest allowed delay of another statement during a rebuild. Statements fail when they wait 1 s for a lock. */
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
    const eventCount = await store.rebuilder.rebuild();
    expect(eventCount).toBe((await store.readRows('events')).length);
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

  it('applies events that are appended, or whose transaction commits, after the copies were created', async () => {
    const [lateStreamId, earlyStreamId] = [createStreamId(), createStreamId()];
    // The event `late` gets the lower position, but its transaction commits only during the rebuild.
    const lateTransaction = store.dataSource.createQueryRunner();
    await lateTransaction.startTransaction();
    await store.eventStore.append(lateStreamId, 'none', [createNoted('late')], lateTransaction.manager);
    await store.eventStore.append(earlyStreamId, 'none', [createNoted('early')]);
    const rebuilding = store.rebuilder.rebuild();
    await until(hasCopies);
    await store.eventStore.append(earlyStreamId, 1, [createNoted('during the rebuild')]);
    expect(await store.readRows('notes', earlyStreamId)).toHaveLength(2);
    await lateTransaction.commitTransaction();
    await lateTransaction.release();
    expect(await rebuilding).toBe((await store.readRows('events')).length);
    expect(await store.readRows('notes', lateStreamId)).toMatchObject([{ note: 'late' }]);
    expect(await store.readRows('notes', earlyStreamId)).toMatchObject([
      { note: 'early' },
      { note: 'during the rebuild' },
    ]);
  });

  it('keeps the event of a transaction that waits for the locked tables during the exchange', async () => {
    const streamId = createStreamId();
    let appending: Promise<unknown> | undefined;
    runDuringExchange(async () => {
      appending = store.eventStore.append(streamId, 'none', [createNoted('waits for the new table')]);
      await until(() => isLockAwaited('RowExclusiveLock'));
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
    const longTransaction = store.dataSource.createQueryRunner();
    await longTransaction.startTransaction();
    await longTransaction.query('SELECT count(*) FROM notes');
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
    await longTransaction.commitTransaction();
    await longTransaction.release();
    await rebuilding;
    expect(await readTableId()).not.toBe(tableIdBefore);
    expect(await hasCopies()).toBe(false);
  });

  it('replaces the copies that a killed rebuild has left', async () => {
    await store.dataSource.query('CREATE SCHEMA read_model_copies');
    await store.dataSource.query('CREATE TABLE read_model_copies.notes (left_over text)');
    const before = await store.readRows('notes');
    await store.rebuilder.rebuild();
    expect(await store.readRows('notes')).toEqual(before);
  });

  it('refuses a second call while it is running', async () => {
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
  /** Calls `work` once, when the next exchange has locked the tables and is about to read the remaining events. */
  const runDuringExchange = (work: () => Promise<void>): void => {
    const readPage = store.eventStore.readPage.bind(store.eventStore);
    let hasRun = false;
    jest.spyOn(store.eventStore, 'readPage').mockImplementation(async (range, manager) => {
      const isExchange = range.upTo === Number.MAX_SAFE_INTEGER; // other reads have an upper end
      if (isExchange && !hasRun) {
        hasRun = true;
        await work();
      }
      return readPage(range, manager);
    });
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
