// Uses real PostgreSQL. Each `Noted` event adds a row to the table `notes`, the read model of these tests. The events
// of `createSigned` and `createSignedPermanently` have a personal field, `name`. Only that of `createSigned` expires.
import {
  createTestEventStore,
  createStreamId,
  createNoted,
  createSigned,
  createSignedPermanently,
  type TestEventStore,
} from '../../testing/test-event-store.harness';
import { StreamVersionConflictError } from './event-store.errors';
import type { StoredEvent } from './stored-event.types';

jest.setTimeout(30_000);

const WRITER_COUNT = 40;

const expectConsecutivePositions = (events: readonly StoredEvent[]): void =>
  expect(events.map(({ streamPosition }) => streamPosition)).toEqual(events.map((_, index) => index + 1));

describe('EventStoreRepository', () => {
  let store: TestEventStore;

  beforeAll(async () => {
    store = await createTestEventStore();
  });
  afterAll(() => store.close());

  describe('append and read', () => {
    it('returns the stored events exactly as they are read later', async () => {
      const streamId = createStreamId();
      const appended = await store.eventStore.append(streamId, 'none', [createNoted('a'), createNoted('b')]);
      expect(appended).toMatchObject([
        { streamId, streamPosition: 1, type: 'Noted', schemaVersion: 3, data: { note: 'a' } },
        { streamId, streamPosition: 2, type: 'Noted', schemaVersion: 3, data: { note: 'b' } },
      ]);
      expect(appended[1]!.globalPosition).toBeGreaterThan(appended[0]!.globalPosition);
      expect(await store.eventStore.read(streamId)).toEqual(appended);
      expect(await store.readRows('event_streams', streamId)).toMatchObject([
        { stream_type: 'note', version: '2' },
      ]);
    });

    it('converts events of earlier versions when reading and leaves events of a newer release unchanged', async () => {
      const streamId = createStreamId();
      // This build declares version 3 of `Noted`, and does not declare `Sung`.
      const written: [type: string, schemaVersion: number, data: object][] = [
        ['Noted', 1, { text: 'one' }],
        ['Noted', 2, { note: 'two' }],
        ['Noted', 3, { note: 'three' }],
        ['Noted', 4, { notes: ['four'] }],
        ['Sung', 1, { song: 'five' }],
      ];
      for (const [index, [type, version, data]] of written.entries()) {
        await store.dataSource.query(
          `INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
           VALUES ($1, $2, gen_random_uuid(), $3, $4, $5, '{}', now())`,
          [streamId, index + 1, type, version, data],
        );
      }
      const events = await store.eventStore.read(streamId);
      expect(events.map(({ schemaVersion, data }) => [schemaVersion, data])).toEqual([
        // The conversion from version 2 appends " (2)".
        [3, { note: 'one (2)' }],
        [3, { note: 'two (2)' }],
        [3, { note: 'three' }],
        [4, { notes: ['four'] }],
        [1, { song: 'five' }],
      ]);
    });

    it('reads a stream without events as empty', async () => {
      expect(await store.eventStore.read(createStreamId())).toEqual([]);
    });

    // `none` and 0 both stand for a stream without events.
    it.each(['none', 0, 2, 7] as const)(
      'refuses an append that expects version %p of a stream at version 1, and writes nothing',
      async (expected) => {
        const streamId = createStreamId();
        await store.eventStore.append(streamId, 'none', [createNoted('first')]);
        const append = store.eventStore.append(streamId, expected, [createNoted('late')]);
        await expect(append).rejects.toThrow(StreamVersionConflictError);
        expect(await store.eventStore.read(streamId)).toHaveLength(1);
        expect(await store.readRows('notes', streamId)).toHaveLength(1);
      },
    );

    it('refuses an append that expects a version of a stream without events, and writes nothing', async () => {
      const streamId = createStreamId();
      const append = store.eventStore.append(streamId, 1, [createNoted('early')]);
      await expect(append).rejects.toThrow(StreamVersionConflictError);
      expect(await store.eventStore.read(streamId)).toEqual([]);
      expect(await store.readRows('notes', streamId)).toEqual([]);
    });

    it.each(['none', 0, 1] as const)(
      `appends for exactly one of ${WRITER_COUNT} concurrent writers that expect version %p`,
      async (expected) => {
        const streamId = createStreamId();
        if (expected === 1) await store.eventStore.append(streamId, 'none', [createNoted('before')]);
        const conflictsBefore = store.eventStore.conflictCount;
        const results = await Promise.allSettled(
          Array.from({ length: WRITER_COUNT }, (_, index) =>
            store.eventStore.append(streamId, expected, [createNoted(`${index}`)]),
          ),
        );
        const refused = results.filter((result) => result.status === 'rejected');
        expect(refused).toHaveLength(WRITER_COUNT - 1);
        expect(store.eventStore.conflictCount - conflictsBefore).toBe(WRITER_COUNT - 1);
        for (const { reason } of refused) expect(reason).toBeInstanceOf(StreamVersionConflictError);
        const events = await store.eventStore.read(streamId);
        expect(events).toHaveLength(expected === 1 ? 2 : 1);
        expect(await store.readRows('notes', streamId)).toHaveLength(events.length);
      },
    );

    it('stores all events of concurrent writers that expect `any` version, at consecutive positions', async () => {
      const [first, second, third] = [createStreamId(), createStreamId(), createStreamId()] as const;
      const streams = [first, second, third];
      const appendToEach = (note: string) =>
        store.eventStore.appendBatch(streams.map((streamId) => ({ streamId, event: createNoted(note) })));
      const appendTwo = (streamId: string, note: string) =>
        store.eventStore.append(streamId, 'any', [createNoted(`${note} a`), createNoted(`${note} b`)]);
      const writers = Array.from({ length: 20 }, (_, round) => [
        appendToEach(`batch ${round}`),
        appendTwo(second, `second ${round}`),
        appendTwo(third, `third ${round}`),
      ]);
      const appended = (await Promise.all(writers.flat())).flat();
      expect(appended).toHaveLength(20 * (3 + 2 + 2));
      for (const streamId of streams) {
        const events = await store.eventStore.read(streamId);
        expectConsecutivePositions(events);
        const globalPositions = events.map(({ globalPosition }) => globalPosition);
        expect(globalPositions).toEqual([...globalPositions].sort((a, b) => a - b));
        expect(await store.readRows('event_streams', streamId)).toMatchObject([
          { version: String(events.length) },
        ]);
      }
      const all = (await Promise.all(streams.map((streamId) => store.eventStore.read(streamId)))).flat();
      expect(new Set(all.map(({ eventId }) => eventId))).toEqual(
        new Set(appended.map(({ eventId }) => eventId)),
      );
    });

    it('never drops an event silently: each event is stored or its append is refused', async () => {
      const streamId = createStreamId();
      const events = Array.from({ length: 40 }, (_, index) => createNoted(`${index}`));
      const results = await Promise.allSettled(
        events.map((event, index) => {
          // Both kinds, so that some appends succeed and others are refused.
          const expected = index % 4 === 0 ? 'any' : index % 7;
          return store.eventStore.append(streamId, expected, [event]);
        }),
      );
      const stored = new Set((await store.eventStore.read(streamId)).map(({ eventId }) => eventId));
      events.forEach((event, index) => {
        expect(results[index]!.status).toBe(stored.has(event.eventId) ? 'fulfilled' : 'rejected');
      });
    });

    it('appends the events of a batch in the given order, at consecutive positions of each stream', async () => {
      const [one, two] = [createStreamId(), createStreamId()] as const;
      const entries = [one, two, one, two, one].map((streamId, index) => ({
        streamId,
        event: createNoted(`${index}`),
      }));
      const appended = await store.eventStore.appendBatch(entries);
      expect(appended.map(({ data }) => (data as { note: string }).note)).toEqual(['0', '1', '2', '3', '4']);
      expect(appended.map(({ streamPosition }) => streamPosition)).toEqual([1, 1, 2, 2, 3]);
    });

    it('rolls back the events when a projection fails', async () => {
      const streamId = createStreamId();
      // The read model refuses a second note with the same text if it begins with "unique".
      await store.eventStore.append(createStreamId(), 'none', [createNoted('unique: taken')]);
      const append = store.eventStore.append(streamId, 'any', [
        createNoted('allowed'),
        createNoted('unique: taken'),
      ]);
      await expect(append).rejects.toMatchObject({ driverError: { constraint: 'notes_note_key' } });
      expect(await store.eventStore.read(streamId)).toEqual([]);
      expect(await store.readRows('event_streams', streamId)).toEqual([]);
      expect(await store.readRows('notes', streamId)).toEqual([]);
    });

    it('does not report a violated constraint of a read model as a version conflict', async () => {
      await store.eventStore.append(createStreamId(), 'none', [createNoted('unique: mine')]);
      for (const expected of ['none', 'any'] as const) {
        const append = store.eventStore.append(createStreamId(), expected, [createNoted('unique: mine')]);
        await expect(append).rejects.not.toBeInstanceOf(StreamVersionConflictError);
      }
    });

    it('refuses an event of an undeclared type', async () => {
      const event = { ...createNoted('x'), type: 'Undeclared' };
      await expect(store.eventStore.append(createStreamId(), 'any', [event])).rejects.toThrow('not declared');
    });

    it('stores an event that has the same id as an event in another stream', async () => {
      const event = createNoted('shared');
      await store.eventStore.append(createStreamId(), 'none', [event]);
      expect(await store.eventStore.append(createStreamId(), 'none', [event])).toHaveLength(1);
    });
  });

  describe('an event that is already in its stream', () => {
    it('is recognised by its id and skipped, whatever the expected version', async () => {
      const streamId = createStreamId();
      const event = createNoted('once');
      await store.eventStore.append(streamId, 'none', [event]);
      for (const expected of ['none', 'any', 5] as const) {
        expect(await store.eventStore.append(streamId, expected, [event])).toEqual([]);
      }
      const mixed = await store.eventStore.append(streamId, 'any', [event, createNoted('new')]);
      expect(mixed).toMatchObject([{ streamPosition: 2, data: { note: 'new' } }]);
      expect(await store.readRows('notes', streamId)).toHaveLength(2);
    });

    it('is also skipped when its first copy is in the same batch', async () => {
      const streamId = createStreamId();
      const event = createNoted('once');
      const entries = [event, createNoted('between'), event].map((entry) => ({ streamId, event: entry }));
      expect(await store.eventStore.appendBatch(entries)).toHaveLength(2);
      expect(await store.eventStore.read(streamId)).toHaveLength(2);
    });

    it('is stored once when 20 writers append it concurrently', async () => {
      const streamId = createStreamId();
      const event = createNoted('raced');
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.eventStore.append(streamId, 'any', [event, createNoted(`own ${index}`)]),
        ),
      );
      const events = await store.eventStore.read(streamId);
      expect(events.filter(({ eventId }) => eventId === event.eventId)).toHaveLength(1);
      expect(results.flat()).toHaveLength(1 + 20); // the event, and one own event of each writer
      expectConsecutivePositions(events);
    });
  });

  describe('an append in a transaction of the caller', () => {
    it('is rolled back with its projections when the transaction fails', async () => {
      const streamId = createStreamId();
      const work = store.dataSource.transaction(async (manager) => {
        await store.eventStore.append(streamId, 'none', [createNoted('inside')], manager);
        expect(await store.eventStore.read(streamId, manager)).toHaveLength(1);
        expect(await store.eventStore.read(streamId)).toHaveLength(0);
        throw new Error('rolled back on purpose');
      });
      await expect(work).rejects.toThrow('rolled back on purpose');
      expect(await store.eventStore.read(streamId)).toEqual([]);
      expect(await store.readRows('notes', streamId)).toEqual([]);
    });
  });

  describe('the event log', () => {
    it.each([
      'UPDATE events SET type = type',
      'DELETE FROM events',
      'TRUNCATE events',
      'TRUNCATE events CASCADE',
    ])('refuses `%s`', async (statement) => {
      await store.eventStore.append(createStreamId(), 'none', [createNoted('kept')]);
      const before = await store.readRows('events');
      await expect(store.dataSource.query(statement)).rejects.toThrow('append-only');
      expect(await store.readRows('events')).toEqual(before);
    });

    it('contains no personal field: each is stored separately with its stream, subject and expiry', async () => {
      const streamId = createStreamId();
      const event = createSigned(42, 'Ada');
      const [appended] = await store.eventStore.append(streamId, 'none', [event]);
      expect(appended).toMatchObject({ data: { userId: 42, name: 'Ada' } });
      expect(await store.readRows('events', streamId)).toMatchObject([{ data: { userId: 42 } }]);
      expect(JSON.stringify(await store.readRows('events', streamId))).not.toContain('Ada');
      expect(await store.readRows('event_private', streamId)).toEqual([
        {
          event_id: event.eventId,
          stream_id: streamId,
          subject_id: '42',
          data: { name: 'Ada' },
          expires_at: new Date('2026-11-20T12:01:00Z'), // a minute after the event
        },
      ]);
    });

    it('is read without personal fields that were erased', async () => {
      const streamId = createStreamId();
      await store.eventStore.append(streamId, 'none', [createSignedPermanently(43, 'Bob')]);
      await store.dataSource.query('DELETE FROM event_private WHERE subject_id = 43');
      expect(await store.eventStore.read(streamId)).toMatchObject([
        { streamPosition: 1, data: { userId: 43 } },
      ]);
      expect((await store.eventStore.read(streamId))[0]!.data).not.toHaveProperty('name');
    });

    it('is read in pages, in order of position, up to a given position', async () => {
      const entries = Array.from({ length: 20 }, () => ({
        streamId: createStreamId(),
        event: createNoted('read in pages'),
      }));
      await store.eventStore.appendBatch(entries);
      // Also the events of the other tests.
      const stored = (await store.readRows('events'))
        .map((row) => Number(row.global_position))
        .sort((a, b) => a - b);
      const upTo = stored.at(-2)!;
      const read: number[] = [];
      const limit = 7;
      let page: StoredEvent[];
      do {
        page = await store.eventStore.readPage(
          { after: read.at(-1) ?? 0, upTo, limit },
          store.dataSource.manager,
        );
        expect(page.length).toBeLessThanOrEqual(limit);
        read.push(...page.map(({ globalPosition }) => globalPosition));
      } while (page.length > 0);
      expect(read).toEqual(stored.slice(0, -1));
    });
  });
});
