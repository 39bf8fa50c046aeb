// Uses a real PostgreSQL.
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.harness';
import { CommandExecutorService } from './command-executor.service';
import type { Decider } from './decider.types';
import { StreamVersionConflictError } from './event-store.errors';
import { EventStoreRepository } from './event-store.repository';
import { EventTypeRegistry } from './event-type.registry';
import { buildOpenStreamSql } from './open.sql';
import { ProjectionRebuildService } from './projection-rebuild.service';
import { type Projection, ProjectionRegistry } from './projection.registry';
import type { NewEvent, StoredEvent } from './stored-event.types';

jest.setTimeout(30_000);

const noted = (note: string, eventId: string = randomUUID()): NewEvent => ({
  eventId,
  type: 'Noted',
  data: { note },
  occurredAt: new Date('2026-11-20T12:00:00Z'),
});

const signed = (userId: number, name: string): NewEvent => ({
  eventId: randomUUID(),
  type: 'Signed',
  data: { userId, name },
  occurredAt: new Date('2026-11-20T12:00:00Z'),
});

const whispered = (userId: number, name: string): NewEvent => ({
  ...signed(userId, name),
  type: 'Whispered',
});

/** A read model that refuses a second note with the same text, like a table with a unique column. */
const notes: Projection = {
  name: 'notes',
  tables: ['notes'],
  handles: ['Noted', 'Signed'],
  async apply(events, manager) {
    for (const { streamId, streamPosition, globalPosition, data } of events) {
      await manager.query('INSERT INTO notes VALUES ($1, $2, $3, $4)', [
        globalPosition,
        streamId,
        streamPosition,
        (data as { note?: string; name?: string }).note ?? (data as { name?: string }).name,
      ]);
    }
  },
};

/** A second read model, which is not written by the statement that opens a stream and refuses notes with "refuse". */
const loud: Projection = {
  name: 'loud',
  tables: ['loud'],
  handles: ['Noted'],
  concerns: ({ data }) => (data as { note: string }).note.includes('!'),
  async apply(events, manager) {
    for (const { streamId, data } of events) {
      const { note, number } = data as { note: string; number?: string };
      if (note.includes('refuse')) throw new Error('refused');
      await manager.query('INSERT INTO loud VALUES ($1, $2)', [streamId, `${note} ${number ?? ''}`]);
    }
  },
};

const openNote = {
  name: 'open_note',
  text: buildOpenStreamSql({
    query: `
      SELECT $9::text AS stream_id, '2026-11-20T12:00:00Z'::timestamptz AS occurred_at, $10::text <> 'known' AS is_new,
             jsonb_build_object('number', $10::text) AS assigned, $10::text AS number
      WHERE $10::text <> 'nowhere'`,
    project: `
      INSERT INTO notes SELECT global_position, stream_id, 1, $11::text FROM opening CROSS JOIN opened WHERE is_new`,
  }),
};

const setUp = (database: TestDatabase) => {
  const eventTypes = new EventTypeRegistry();
  eventTypes.register([
    {
      type: 'Noted',
      schemaVersion: 3,
      personalFields: [],
      upcasters: {
        1: ({ text, ...rest }) => ({ ...rest, note: text }),
        2: ({ note }) => ({ note: `${String(note)} (2)` }),
      },
    },
    {
      type: 'Signed',
      schemaVersion: 1,
      personalFields: ['name'],
      subjectId: ({ userId }) => userId as number,
      personalExpiresAfterMs: 60_000,
    },
    {
      type: 'Whispered',
      schemaVersion: 1,
      personalFields: ['name'],
      subjectId: ({ userId }) => userId as number,
    },
  ]);
  const projections = new ProjectionRegistry();
  projections.register(notes);
  projections.register(loud);
  const { dataSource } = database;
  const eventStore = new EventStoreRepository(dataSource, eventTypes, projections);
  return {
    dataSource,
    eventStore,
    executor: new CommandExecutorService(eventStore, dataSource, eventTypes),
    rebuilder: new ProjectionRebuildService(dataSource, eventStore, projections),
  };
};

describe('EventStoreRepository', () => {
  let database: TestDatabase;
  let store: ReturnType<typeof setUp>;

  const rowsOf = async (table: string, streamId?: string): Promise<Record<string, unknown>[]> =>
    database.dataSource.query(
      `SELECT * FROM ${table} ${streamId ? 'WHERE stream_id = $1' : ''} ORDER BY 1`,
      streamId ? [streamId] : [],
    );
  const newStream = () => `note-${randomUUID()}`;

  beforeAll(async () => {
    database = await createTestDatabase({ poolSize: 20 });
    await database.dataSource.query(
      'CREATE TABLE notes (id bigint PRIMARY KEY, stream_id text, stream_position int, note text)',
    );
    await database.dataSource.query(
      `CREATE UNIQUE INDEX notes_note_key ON notes (note) WHERE note LIKE 'unique%'`,
    );
    await database.dataSource.query('CREATE TABLE loud (stream_id text, note text)');
    store = setUp(database);
  });

  afterAll(() => database.close());

  describe('open', () => {
    const open = (streamId: string, number: string, event: NewEvent = noted('a')) =>
      store.eventStore.open<{ number: string }>({
        statement: openNote,
        projection: 'notes',
        event,
        parameters: [streamId, number, Object.values(event.data).at(-1)],
      });

    it('writes the event, its personal data and the read model, and returns the row', async () => {
      const streamId = newStream();
      expect(await open(streamId, '1', signed(7, 'Ada'))).toMatchObject({ number: '1' });
      expect(await store.eventStore.read(streamId)).toMatchObject([
        { streamPosition: 1, type: 'Signed', data: { userId: 7, name: 'Ada', number: '1' } },
      ]);
      const [personal] = await rowsOf('event_private', streamId);
      expect(personal).toMatchObject({ subject_id: '7', expires_at: new Date('2026-11-20T12:01:00Z') });
      expect(await rowsOf('notes', streamId)).toMatchObject([{ note: 'Ada' }]);
      expect(await store.eventStore.append(streamId, 1, [noted('b')])).toMatchObject([{ streamPosition: 2 }]);
    });

    it.each(['known', 'nowhere'])(
      'writes nothing when the query refuses or finds a repetition (%s)',
      async (number) => {
        const streamId = newStream();
        const row = await open(streamId, number, noted('a!'));
        expect(row?.number ?? null).toBe(number === 'known' ? 'known' : null);
        for (const table of ['events', 'event_streams', 'event_private', 'notes', 'loud']) {
          expect(await rowsOf(table, streamId)).toEqual([]);
        }
      },
    );

    it('runs the other projections that the event concerns, and writes nothing when one of them fails', async () => {
      const streamId = newStream();
      await open(streamId, '2', noted('hey!'));
      expect(await rowsOf('loud', streamId)).toEqual([{ stream_id: streamId, note: 'hey! 2' }]);
      expect(await rowsOf('notes', streamId)).toMatchObject([{ note: 'hey!' }]);
      const refused = newStream();
      await expect(open(refused, '3', noted('refuse!'))).rejects.toThrow('refused');
      for (const table of ['events', 'event_streams', 'notes']) {
        expect(await rowsOf(table, refused)).toEqual([]);
      }
    });

    it('refuses a stream that already exists', async () => {
      const streamId = newStream();
      await store.eventStore.append(streamId, 'none', [noted('first')]);
      await expect(open(streamId, '4')).rejects.toThrow();
      expect(await rowsOf('events', streamId)).toHaveLength(1);
    });
  });

  describe('append', () => {
    it('returns the stored events exactly as they are read later', async () => {
      const streamId = newStream();
      const appended = await store.eventStore.append(streamId, 'none', [noted('a'), noted('b')]);
      expect(appended).toMatchObject([
        { streamId, streamPosition: 1, type: 'Noted', schemaVersion: 3, data: { note: 'a' } },
        { streamId, streamPosition: 2, type: 'Noted', schemaVersion: 3, data: { note: 'b' } },
      ]);
      expect(appended[1]!.globalPosition).toBeGreaterThan(appended[0]!.globalPosition);
      expect(await store.eventStore.read(streamId)).toEqual(appended);
      expect(await rowsOf('event_streams', streamId)).toMatchObject([{ stream_type: 'note', version: '2' }]);
    });

    it('upcasts events of earlier versions when reading and leaves events of a newer release unchanged', async () => {
      const streamId = newStream();
      const written: [string, number, object][] = [
        ['Noted', 1, { text: 'one' }],
        ['Noted', 2, { note: 'two' }],
        ['Noted', 3, { note: 'three' }],
        ['Noted', 4, { notes: ['four'] }],
        ['Sung', 1, { song: 'five' }],
      ];
      // Rolled back at the end, because other tests rebuild from the whole log.
      const runner = database.dataSource.createQueryRunner();
      await runner.startTransaction();
      for (const [index, [type, version, data]] of written.entries()) {
        await runner.query(
          `INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
           VALUES ($1, $2, gen_random_uuid(), $3, $4, $5, '{}', now())`,
          [streamId, index + 1, type, version, data],
        );
      }
      const events = await store.eventStore.read(streamId, runner.manager);
      await runner.rollbackTransaction();
      await runner.release();
      expect(events.map(({ schemaVersion, data }) => [schemaVersion, data])).toEqual([
        [3, { note: 'one (2)' }],
        [3, { note: 'two (2)' }],
        [3, { note: 'three' }],
        [4, { notes: ['four'] }],
        [1, { song: 'five' }],
      ]);
    });

    it('is not needed before a read: an unknown stream has no events', async () => {
      expect(await store.eventStore.read(newStream())).toEqual([]);
    });

    it('is refused when the stream is not at the expected version, and writes nothing', async () => {
      const streamId = newStream();
      await store.eventStore.append(streamId, 'none', [noted('first')]);
      for (const expected of ['none', 0, 2, 7] as const) {
        await expect(store.eventStore.append(streamId, expected, [noted('late')])).rejects.toThrow(
          StreamVersionConflictError,
        );
      }
      await expect(store.eventStore.append(newStream(), 1, [noted('early')])).rejects.toThrow(
        StreamVersionConflictError,
      );
      expect(await store.eventStore.read(streamId)).toHaveLength(1);
      expect(await rowsOf('notes', streamId)).toHaveLength(1);
    });

    it.each(['none', 0, 1] as const)(
      'succeeds for exactly one of 40 concurrent writers that expect version %p',
      async (expected) => {
        const streamId = newStream();
        if (expected === 1) await store.eventStore.append(streamId, 'none', [noted('before')]);
        const conflictsBefore = store.eventStore.conflictCount;
        const results = await Promise.allSettled(
          Array.from({ length: 40 }, (_, index) =>
            store.eventStore.append(streamId, expected, [noted(`${index}`)]),
          ),
        );
        const lost = results.filter((result) => result.status === 'rejected');
        expect(results.length - lost.length).toBe(1);
        expect(store.eventStore.conflictCount - conflictsBefore).toBe(39);
        for (const { reason } of lost) expect(reason).toBeInstanceOf(StreamVersionConflictError);
        const events = await store.eventStore.read(streamId);
        expect(events).toHaveLength(expected === 1 ? 2 : 1);
        expect(await rowsOf('notes', streamId)).toHaveLength(events.length);
      },
    );

    it('loses no event and leaves no gap when concurrent writers expect `any` version', async () => {
      const streams = [newStream(), newStream(), newStream()];
      const writers = Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0
          ? store.eventStore.appendBatch(streams.map((streamId) => ({ streamId, event: noted(`b${index}`) })))
          : store.eventStore.append(streams[index % 3]!, 'any', [noted(`x${index}`), noted(`y${index}`)]),
      );
      const appended = (await Promise.all(writers)).flat();
      expect(appended).toHaveLength(20 * 3 + 40 * 2);
      for (const streamId of streams) {
        const events = await store.eventStore.read(streamId);
        expect(events.map(({ streamPosition }) => streamPosition)).toEqual(
          events.map((_, index) => index + 1),
        );
        const globally = events.map(({ globalPosition }) => globalPosition);
        expect(globally).toEqual([...globally].sort((a, b) => a - b));
        expect(await rowsOf('event_streams', streamId)).toMatchObject([{ version: String(events.length) }]);
      }
      const all = (await Promise.all(streams.map((streamId) => store.eventStore.read(streamId)))).flat();
      expect(new Set(all.map(({ eventId }) => eventId))).toEqual(
        new Set(appended.map(({ eventId }) => eventId)),
      );
    });

    it('never drops an event silently: each event is stored or its append is refused', async () => {
      const streamId = newStream();
      const events = Array.from({ length: 40 }, (_, index) => noted(`${index}`));
      const results = await Promise.allSettled(
        events.map((event, index) =>
          store.eventStore.append(streamId, index % 4 === 0 ? 'any' : index % 7, [event]),
        ),
      );
      const stored = new Set((await store.eventStore.read(streamId)).map(({ eventId }) => eventId));
      events.forEach((event, index) => {
        expect(results[index]!.status).toBe(stored.has(event.eventId) ? 'fulfilled' : 'rejected');
      });
    });

    it('keeps the order of a batch across streams', async () => {
      const [one, two] = [newStream(), newStream()] as const;
      const entries = [one, two, one, two, one].map((streamId, index) => ({
        streamId,
        event: noted(`${index}`),
      }));
      const appended = await store.eventStore.appendBatch(entries);
      expect(appended.map(({ data }) => (data as { note: string }).note)).toEqual(['0', '1', '2', '3', '4']);
      expect(appended.map(({ streamPosition }) => streamPosition)).toEqual([1, 1, 2, 2, 3]);
    });

    it('is atomic: a failing projection rolls back the events', async () => {
      const streamId = newStream();
      await store.eventStore.append(newStream(), 'none', [noted('unique: taken')]);
      const append = store.eventStore.append(streamId, 'any', [noted('fine'), noted('unique: taken')]);
      await expect(append).rejects.toMatchObject({ driverError: { constraint: 'notes_note_key' } });
      expect(await store.eventStore.read(streamId)).toEqual([]);
      expect(await rowsOf('event_streams', streamId)).toEqual([]);
      expect(await rowsOf('notes', streamId)).toEqual([]);
    });

    it('reports a version conflict only for violations of its own constraints', async () => {
      await store.eventStore.append(newStream(), 'none', [noted('unique: mine')]);
      for (const expected of ['none', 'any'] as const) {
        const append = store.eventStore.append(newStream(), expected, [noted('unique: mine')]);
        await expect(append).rejects.not.toBeInstanceOf(StreamVersionConflictError);
      }
    });

    it('refuses an event of an undeclared type', async () => {
      const event = { ...noted('x'), type: 'Unheard' };
      await expect(store.eventStore.append(newStream(), 'any', [event])).rejects.toThrow('not declared');
    });
  });

  describe('an event that is already in its stream', () => {
    it('is skipped by its id, whatever the expected version', async () => {
      const streamId = newStream();
      const event = noted('once');
      await store.eventStore.append(streamId, 'none', [event]);
      for (const expected of ['none', 'any', 5] as const) {
        expect(await store.eventStore.append(streamId, expected, [event])).toEqual([]);
      }
      const mixed = await store.eventStore.append(streamId, 'any', [event, noted('new')]);
      expect(mixed).toMatchObject([{ streamPosition: 2, data: { note: 'new' } }]);
      expect(await rowsOf('notes', streamId)).toHaveLength(2);
    });

    it('is also skipped within one batch', async () => {
      const streamId = newStream();
      const event = noted('once');
      const entries = [event, noted('between'), event].map((each) => ({ streamId, event: each }));
      expect(await store.eventStore.appendBatch(entries)).toHaveLength(2);
      expect(await store.eventStore.read(streamId)).toHaveLength(2);
    });

    it('is stored once when 20 writers append it concurrently', async () => {
      const streamId = newStream();
      const event = noted('raced');
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.eventStore.append(streamId, 'any', [event, noted(`own ${index}`)]),
        ),
      );
      const events = await store.eventStore.read(streamId);
      expect(events.filter(({ eventId }) => eventId === event.eventId)).toHaveLength(1);
      expect(results.flat()).toHaveLength(21);
      expect(events.map(({ streamPosition }) => streamPosition)).toEqual(events.map((_, index) => index + 1));
    });

    it('may have the same id as an event in another stream', async () => {
      const event = noted('shared');
      await store.eventStore.append(newStream(), 'none', [event]);
      expect(await store.eventStore.append(newStream(), 'none', [event])).toHaveLength(1);
    });
  });

  describe('a transaction of the caller', () => {
    it('includes events and projections and rolls back both', async () => {
      const streamId = newStream();
      const work = database.dataSource.transaction(async (manager) => {
        await store.eventStore.append(streamId, 'none', [noted('inside')], manager);
        expect(await store.eventStore.read(streamId, manager)).toHaveLength(1);
        expect(await store.eventStore.read(streamId)).toHaveLength(0);
        throw new Error('changed my mind');
      });
      await expect(work).rejects.toThrow('changed my mind');
      expect(await store.eventStore.read(streamId)).toEqual([]);
      expect(await rowsOf('notes', streamId)).toEqual([]);
    });
  });

  describe('the log', () => {
    it.each([
      'UPDATE events SET type = type',
      'DELETE FROM events',
      'TRUNCATE events',
      'TRUNCATE events CASCADE',
    ])('refuses `%s`', async (statement) => {
      await store.eventStore.append(newStream(), 'none', [noted('kept')]);
      const before = await rowsOf('events');
      await expect(database.dataSource.query(statement)).rejects.toThrow('append-only');
      expect(await rowsOf('events')).toEqual(before);
    });

    it('contains no personal field: these are stored separately with stream, subject and expiry', async () => {
      const streamId = newStream();
      const event = signed(42, 'Ada');
      const [appended] = await store.eventStore.append(streamId, 'none', [event]);
      expect(appended).toMatchObject({ data: { userId: 42, name: 'Ada' } });
      expect(await rowsOf('events', streamId)).toMatchObject([{ data: { userId: 42 } }]);
      expect(JSON.stringify(await rowsOf('events', streamId))).not.toContain('Ada');
      expect(await rowsOf('event_private', streamId)).toEqual([
        {
          event_id: event.eventId,
          stream_id: streamId,
          subject_id: '42',
          data: { name: 'Ada' },
          expires_at: new Date('2026-11-20T12:01:00Z'),
        },
      ]);
    });

    it('is read without erased fields', async () => {
      const streamId = newStream();
      await store.eventStore.append(streamId, 'none', [whispered(43, 'Bob')]);
      await database.dataSource.query('DELETE FROM event_private WHERE subject_id = 43');
      expect(await store.eventStore.read(streamId)).toMatchObject([
        { streamPosition: 1, data: { userId: 43 } },
      ]);
      expect((await store.eventStore.read(streamId))[0]!.data).not.toHaveProperty('name');
    });

    it('is read completely, in pages, in order of position', async () => {
      const { dataSource, eventStore } = store;
      const positions: number[] = [];
      await dataSource.transaction(async (manager: EntityManager) => {
        for await (const page of eventStore.readAll(manager, 7)) {
          expect(page.length).toBeLessThanOrEqual(7);
          positions.push(...page.map(({ globalPosition }) => globalPosition));
        }
      });
      expect(positions).toHaveLength((await rowsOf('events')).length);
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
    });
  });

  describe('a rebuild', () => {
    it('restores missing rows and removes rows without an event', async () => {
      const before = await rowsOf('notes');
      await database.dataSource.query('DELETE FROM notes WHERE stream_position = 1');
      await database.dataSource.query(`INSERT INTO notes VALUES (999999, 'note-ghost', 1, 'ghost')`);
      const count = await store.rebuilder.rebuild();
      expect(count).toBe((await rowsOf('events')).length);
      expect(await rowsOf('notes')).toEqual(before);
    });

    it('loses no event that is appended concurrently', async () => {
      const streamId = newStream();
      const appends = Array.from({ length: 10 }, (_, index) =>
        store.eventStore.append(streamId, 'any', [noted(`meanwhile ${index}`)]),
      );
      await Promise.all([store.rebuilder.rebuild(), ...appends]);
      expect(await rowsOf('notes', streamId)).toHaveLength(10);
    });

    it('leaves the read models unchanged when it fails', async () => {
      const before = await rowsOf('notes');
      const failing = new ProjectionRegistry();
      failing.register({
        ...notes,
        apply: async () => {
          throw new Error('a bug');
        },
      });
      const rebuilder = new ProjectionRebuildService(database.dataSource, store.eventStore, failing);
      await expect(rebuilder.rebuild()).rejects.toThrow('a bug');
      expect(await rowsOf('notes')).toEqual(before);
    });
  });

  describe('CommandExecutorService', () => {
    /** Counts up to a limit; every command adds one. */
    const counter: Decider<number, { eventId: string }, NewEvent | StoredEvent> = {
      initialState: () => 0,
      evolve: (count) => count + 1,
      decide: ({ eventId }, count) => (count >= 3 ? [] : [noted(`count ${count + 1}`, eventId)]),
    };

    it('decides again after a version conflict', async () => {
      const streamId = newStream();
      const results = await Promise.allSettled(
        Array.from({ length: 4 }, () => store.executor.execute(streamId, counter, { eventId: randomUUID() })),
      );
      expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
      expect(await store.eventStore.read(streamId)).toHaveLength(3);
    });

    it('skips events of a newer release and appends after them', async () => {
      const streamId = newStream();
      await store.eventStore.append(streamId, 'none', [noted('one'), noted('two')]);
      const read = store.eventStore.read.bind(store.eventStore);
      const newer = jest.spyOn(store.eventStore, 'read').mockImplementation(async (...given) => {
        const [first, second] = await read(...given);
        return [
          { ...first!, type: 'Sung', schemaVersion: 1 },
          { ...second!, schemaVersion: 4 },
        ];
      });
      const { state, events } = await store.executor.execute(streamId, counter, { eventId: randomUUID() });
      newer.mockRestore();
      expect(state).toBe(1);
      expect(events).toMatchObject([{ streamPosition: 3, data: { note: 'count 1' } }]);
    });

    it('retries the whole transaction after a version conflict', async () => {
      const streamId = newStream();
      let attempts = 0;
      await store.executor.inTransaction(async (manager) => {
        attempts += 1;
        const history = await store.eventStore.read(streamId, manager);
        if (attempts === 1) await store.eventStore.append(streamId, 'none', [noted('somebody else')]);
        await store.eventStore.append(streamId, history.length, [noted('mine')], manager);
      });
      expect(attempts).toBe(2);
      expect(await store.eventStore.read(streamId)).toHaveLength(2);
    });

    it('throws the version conflict after the last attempt', async () => {
      let attempts = 0;
      const work = store.executor.inTransaction(async () => {
        attempts += 1;
        throw new StreamVersionConflictError('note-x', 1);
      });
      await expect(work).rejects.toThrow(StreamVersionConflictError);
      expect(attempts).toBe(4);
    });
  });
});
