import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CommandExecutorService } from '../platform/event-store/command-executor.service';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import { EventTypeRegistry } from '../platform/event-store/event-type.registry';
import { buildOpenStreamSql } from '../platform/event-store/open.sql';
import { ProjectionRebuildService } from '../platform/event-store/projection-rebuild.service';
import { type Projection, ProjectionRegistry } from '../platform/event-store/projection.registry';
import type { NewEvent } from '../platform/event-store/stored-event.types';
import { createTestDatabase, type TestDatabase } from './test-database.harness';

/** An event without personal data. */
export const createNoted = (note: string, eventId: string = randomUUID()): NewEvent => ({
  eventId,
  type: 'Noted',
  data: { note },
  occurredAt: new Date('2026-11-20T12:00:00Z'),
});

/** An event whose `name` is personal data, which expires after a minute. */
export const createSigned = (userId: number, name: string): NewEvent => ({
  eventId: randomUUID(),
  type: 'Signed',
  data: { userId, name },
  occurredAt: new Date('2026-11-20T12:00:00Z'),
});

/** An event whose `name` is personal data without an expiry. */
export const createSignedPermanently = (userId: number, name: string): NewEvent => ({
  ...createSigned(userId, name),
  type: 'SignedPermanently',
});

const createTables = async (dataSource: DataSource): Promise<void> => {
  await dataSource.query(
    'CREATE TABLE notes (id bigint PRIMARY KEY, stream_id text, stream_position int, note text)',
  );
  // Only notes that begin with `unique` must be unique. Tests use them to make a projection fail.
  await dataSource.query(`CREATE UNIQUE INDEX notes_note_key ON notes (note) WHERE note LIKE 'unique%'`);
  await dataSource.query('CREATE TABLE exclamations (stream_id text, note text)');
};

/** A read model of all notes, and of the names in `Signed` events. */
export const notesProjection: Projection = {
  name: 'notes',
  tables: ['notes'],
  handles: ['Noted', 'Signed'],
  async apply(events, manager) {
    for (const { streamId, streamPosition, globalPosition, data } of events) {
      const { note, name } = data as { note?: string; name?: string };
      await manager.query(
        'INSERT INTO notes (id, stream_id, stream_position, note) VALUES ($1, $2, $3, $4)',
        [globalPosition, streamId, streamPosition, note ?? name],
      );
    }
  },
};

/** A read model of the notes that contain an exclamation mark. It throws for a note that also contains `refuse`. */
const exclamationsProjection: Projection = {
  name: 'exclamations',
  tables: ['exclamations'],
  handles: ['Noted'],
  concerns: ({ data }) => (data as { note: string }).note.includes('!'),
  async apply(events, manager) {
    for (const { streamId, data } of events) {
      // Only `openNoteStatement` adds an `outcome` to the data.
      const { note, outcome } = data as { note: string; outcome?: string };
      if (note.includes('refuse')) throw new Error('refused');
      await manager.query('INSERT INTO exclamations VALUES ($1, $2)', [streamId, `${note} ${outcome ?? ''}`]);
    }
  },
};

/**
 * A statement for `EventStoreRepository.open`, with `query` and `project` as `OpeningParts` describes them. The event
 * store binds $1 to $8; $9 is the stream id, and $11 the note. The test chooses the outcome, $10:
 * - `new`: writes the event, with the outcome in its data, and the note; returns the outcome.
 * - `repeated`, as if the command was executed before: writes nothing; returns the outcome.
 * - `refused`: writes and returns nothing.
 */
export const openNoteStatement = {
  name: 'open_note',
  text: buildOpenStreamSql({
    query: `
      SELECT $9::text AS stream_id, '2026-11-20T12:00:00Z'::timestamptz AS occurred_at,
             $10::text <> 'repeated' AS is_new, jsonb_build_object('outcome', $10::text) AS assigned,
             $10::text AS outcome
      WHERE $10::text <> 'refused'`,
    project: `
      INSERT INTO notes SELECT global_position, stream_id, 1, $11::text FROM opening CROSS JOIN opened WHERE is_new`,
  }),
};

export const createEventTypeRegistry = (): EventTypeRegistry => {
  const eventTypes = new EventTypeRegistry();
  const subjectId = ({ userId }: Record<string, unknown>) => userId as number;
  eventTypes.register([
    {
      type: 'Noted',
      schemaVersion: 3,
      personalFields: [],
      upcasters: {
        1: ({ text, ...rest }) => ({ ...rest, note: text }),
        2: ({ note }) => ({ note: `${String(note)} (2)` }), // a visible change, by which tests recognise it
      },
    },
    { type: 'Signed', schemaVersion: 1, personalFields: ['name'], subjectId, personalExpiresAfterMs: 60_000 },
    { type: 'SignedPermanently', schemaVersion: 1, personalFields: ['name'], subjectId },
  ]);
  return eventTypes;
};

export const createStreamId = (): string => `note-${randomUUID()}`;

/** An event store in a real PostgreSQL database, with three event types and two read models for tests. */
export interface TestEventStore {
  dataSource: DataSource;
  eventStore: EventStoreRepository;
  executor: CommandExecutorService;
  rebuilder: ProjectionRebuildService;
  /** The rows of a table, of one stream or of all streams, in the order of the first column. */
  readRows(table: string, streamId?: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export const createTestEventStore = async (): Promise<TestEventStore> => {
  const database: TestDatabase = await createTestDatabase({ poolSize: 20 });
  const { dataSource } = database;
  await createTables(dataSource);
  const eventTypes = createEventTypeRegistry();
  const projections = new ProjectionRegistry();
  projections.register(notesProjection);
  projections.register(exclamationsProjection);
  const eventStore = new EventStoreRepository(dataSource, eventTypes, projections);
  return {
    dataSource,
    eventStore,
    executor: new CommandExecutorService(eventStore, dataSource, eventTypes),
    rebuilder: new ProjectionRebuildService(dataSource, eventStore, projections),
    readRows: (table, streamId) =>
      streamId === undefined
        ? dataSource.query(`SELECT * FROM ${table} ORDER BY 1`)
        : dataSource.query(`SELECT * FROM ${table} WHERE stream_id = $1 ORDER BY 1`, [streamId]),
    close: () => database.close(),
  };
};
