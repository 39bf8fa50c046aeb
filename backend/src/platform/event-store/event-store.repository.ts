import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { findViolatedUniqueConstraint } from '../database/constraint-violation.errors';
import { type PreparedStatement, runPrepared } from '../database/prepared-statement.functions';
import { appendAtAnyVersionSql, appendAtExactVersionSql, appendToNewStreamSql } from './append.sql';
import { StreamVersionConflictError } from './event-store.errors';
import { EventTypeRegistry } from './event-type.registry';
import { ProjectionRegistry } from './projection.registry';
import type { NewEvent, StoredEvent } from './stored-event.types';

/** The number of events that the stream must have; `none` or 0: it must not exist; `any`: any version is right. */
export type ExpectedVersion = number | 'none' | 'any';

/** An event with its stream, for `appendBatch`. */
export interface EventForStream {
  streamId: string;
  event: NewEvent;
}

/** The statement that opens a stream, and the stream's first event. */
export interface StreamOpening {
  /** Its text was built by `buildOpenStreamSql`. */
  statement: PreparedStatement;
  /** The projection whose rows the statement writes. */
  projection: string;
  /** The first event, without its time and the fields of `data` that the statement assigns. */
  event: Omit<NewEvent, 'occurredAt'>;
  /** The statement's own parameters, from $9 on. */
  parameters: readonly unknown[];
}

/** The row that a statement of `buildOpenStreamSql` returns, without the columns of the caller. */
interface OpenedRow {
  stream_id: string;
  occurred_at: Date;
  /** The fields of `data` that the statement has assigned. */
  assigned: object;
  /** False for a retry of a command that has already opened its stream; nothing was written then. */
  is_new: boolean;
  global_position: string | null;
}

interface AppendedRow {
  /** Index of the event in the parameters, from 1. */
  ordinal: number;
  /** Both positions are null if the stream was not at the expected version. */
  stream_position: number | null;
  global_position: string | null;
}

interface EventRow {
  global_position: string;
  stream_id: string;
  stream_position: string;
  event_id: string;
  type: string;
  schema_version: number;
  data: Record<string, unknown>;
  personal: Record<string, unknown> | null;
  metadata: Record<string, unknown>;
  occurred_at: Date;
}

const SELECT_EVENTS = `
SELECT e.global_position, e.stream_id, e.stream_position, e.event_id, e.type, e.schema_version, e.data,
       p.data AS personal, e.metadata, e.occurred_at
FROM events e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id`;

/**
 * Maximum number of events for which a prepared statement is used. It is planned only once; planning takes as long as
 * appending about 25 events. But many events are appended faster with a plan made for their number: 2,000 events 20 %
 * faster (docs/decisions/0081).
 */
const MAX_PREPARED_EVENTS = 256;

const appendAtAnyVersion: PreparedStatement = { name: 'append_to_any', text: appendAtAnyVersionSql };
const appendToNewStream: PreparedStatement = { name: 'append_to_none', text: appendToNewStreamSql };
const appendAtExactVersion: PreparedStatement = { name: 'append_to_exact', text: appendAtExactVersionSql };

const chooseAppend = (expected: ExpectedVersion): PreparedStatement => {
  if (expected === 'any') return appendAtAnyVersion;
  return expected === 'none' || expected === 0 ? appendToNewStream : appendAtExactVersion;
};

/** PostgreSQL reports a violated constraint by the name that it has in the partition, such as `events_p07`. */
const POSITION_CONSTRAINT = /^events_p\d\d_pkey$/;
const EVENT_ID_CONSTRAINT = /^events_p\d\d_stream_id_event_id_key$/;

const toStoredEvent = (row: EventRow): StoredEvent<string, Record<string, unknown>> => ({
  globalPosition: Number(row.global_position),
  streamId: row.stream_id,
  streamPosition: Number(row.stream_position),
  eventId: row.event_id,
  type: row.type,
  schemaVersion: row.schema_version,
  data: { ...row.data, ...row.personal },
  metadata: row.metadata,
  occurredAt: row.occurred_at,
});

const toOpeningEvent = (
  row: OpenedRow,
  event: StreamOpening['event'],
  schemaVersion: number,
): StoredEvent => ({
  globalPosition: Number(row.global_position),
  streamId: row.stream_id,
  streamPosition: 1,
  eventId: event.eventId,
  type: event.type,
  schemaVersion,
  data: { ...event.data, ...row.assigned },
  metadata: event.metadata ?? {},
  occurredAt: row.occurred_at,
});

/** The event log in PostgreSQL. An append runs the projections in the transaction that stores the events. */
@Injectable()
export class EventStoreRepository {
  /** Number of appends by this process that failed with a version conflict. */
  conflictCount = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly eventTypes: EventTypeRegistry,
    private readonly projections: ProjectionRegistry,
  ) {}

  /** Returns the events of a stream in order, upcast (converted) to the current version of their types. */
  async read(streamId: string, manager: EntityManager = this.dataSource.manager): Promise<StoredEvent[]> {
    const rows = await manager.query<EventRow[]>(
      `${SELECT_EVENTS} WHERE e.stream_id = $1 ORDER BY e.stream_position`,
      [streamId],
    );
    return rows.map((row) => this.eventTypes.upcastEvent(toStoredEvent(row)));
  }

  /**
   * Returns the first `limit` events of the log after one position and up to another, in order of position. A
   * transaction may commit an event at a position that a reader has passed already. `LogPositionRepository` finds
   * positions up to which this cannot happen.
   */
  async readPage(
    { after, upTo, limit }: { after: number; upTo: number; limit: number },
    manager: EntityManager,
  ): Promise<StoredEvent[]> {
    const rows = await manager.query<EventRow[]>(
      `${SELECT_EVENTS} WHERE e.global_position > $1 AND e.global_position <= $2 ORDER BY e.global_position LIMIT $3`,
      [after, upTo, limit],
    );
    return rows.map((row) => this.eventTypes.upcastEvent(toStoredEvent(row)));
  }

  /**
   * Appends to one stream and runs the projections, in one transaction: `manager`'s if given, else a new one. A given
   * transaction fails if another one commits the same event id concurrently; the caller must retry it.
   * @returns the events that were new, with their positions; events whose id was already stored are left out.
   * @throws StreamVersionConflictError when the stream is not at `expected`; nothing was appended.
   */
  async append(
    streamId: string,
    expected: ExpectedVersion,
    events: readonly NewEvent[],
    manager?: EntityManager,
  ): Promise<StoredEvent[]> {
    if (events.length === 0) return [];
    return this.insert(
      events.map((event) => ({ streamId, event })),
      expected,
      manager,
    );
  }

  /** Appends to many streams, whatever their versions, all or nothing. @returns the new events, as `append` does. */
  async appendBatch(entries: readonly EventForStream[], manager?: EntityManager): Promise<StoredEvent[]> {
    if (entries.length === 0) return [];
    return this.insert(entries, 'any', manager);
  }

  /**
   * Opens a stream with its first event and writes the read model in one round trip. If the event also concerns other
   * projections, they run in the same transaction, with more round trips.
   * @returns the row of the statement's query, which has the columns of `Row`; null if there was none, in which case
   * nothing was written.
   */
  async open<Row>(opening: StreamOpening): Promise<Row | null> {
    const { statement, projection, event, parameters } = opening;
    const { schemaVersion, nonPersonal, personal, subjectId, expiresAfterMs } = this.splitData(event);
    // The parameters $1 to $8, then those of the caller.
    const allParameters = [
      event.eventId,
      event.type,
      schemaVersion,
      nonPersonal,
      JSON.stringify(event.metadata ?? {}),
      personal,
      subjectId,
      expiresAfterMs, // the statement adds it to the time that it assigns to the event
      ...parameters,
    ];
    const otherProjections = this.projections.findOtherProjections(projection, event);
    const run = async (manager: EntityManager): Promise<OpenedRow | null> => {
      const [row] = await runPrepared<OpenedRow[]>(manager, statement, allParameters);
      if (row?.is_new) {
        const stored = toOpeningEvent(row, event, schemaVersion);
        for (const other of otherProjections) await other.apply([stored], manager);
      }
      return row ?? null;
    };
    const { manager } = this.dataSource;
    const row = await (otherProjections.length === 0 ? run(manager) : this.dataSource.transaction(run));
    return row as Row | null;
  }

  private async insert(
    entries: readonly EventForStream[],
    expected: ExpectedVersion,
    manager: EntityManager | undefined,
  ): Promise<StoredEvent[]> {
    if (manager) return this.insertInTransaction(manager, entries, expected);
    for (;;) {
      try {
        return await this.dataSource.transaction((newManager) =>
          this.insertInTransaction(newManager, entries, expected),
        );
      } catch (error) {
        // A concurrent transaction committed the same event after the statement had looked for it. The retry finds it.
        if (!EVENT_ID_CONSTRAINT.test(findViolatedUniqueConstraint(error) ?? '')) throw error;
      }
    }
  }

  private async insertInTransaction(
    manager: EntityManager,
    entries: readonly EventForStream[],
    expected: ExpectedVersion,
  ): Promise<StoredEvent[]> {
    const createCountedConflict = () => {
      this.conflictCount += 1;
      // All entries are for one stream: appends to several streams expect no version.
      return new StreamVersionConflictError(entries[0]?.streamId ?? '', expected);
    };
    const valuesOfEvents = entries.map((entry) => this.toParameterValues(entry));
    // The parameters $1 to $10 of the statement: one array for each column.
    const parameters: unknown[] = Array.from({ length: 10 }, (_, index) =>
      valuesOfEvents.map((values) => values[index]),
    );
    const statement = chooseAppend(expected);
    if (statement === appendAtExactVersion) parameters.push(expected);

    let rows: AppendedRow[];
    try {
      rows =
        entries.length <= MAX_PREPARED_EVENTS
          ? await runPrepared<AppendedRow[]>(manager, statement, parameters)
          : await manager.query<AppendedRow[]>(statement.text, parameters);
    } catch (error) {
      if (POSITION_CONSTRAINT.test(findViolatedUniqueConstraint(error) ?? '')) throw createCountedConflict();
      throw error;
    }
    if (rows.some((row) => row.global_position === null)) throw createCountedConflict();

    const stored = rows.map((row): StoredEvent => {
      const { streamId, event } = entries[row.ordinal - 1] as EventForStream; // ordinals begin with 1
      return {
        globalPosition: Number(row.global_position),
        streamId,
        streamPosition: Number(row.stream_position),
        eventId: event.eventId,
        type: event.type,
        schemaVersion: this.eventTypes.get(event.type).schemaVersion,
        data: event.data,
        metadata: event.metadata ?? {},
        occurredAt: event.occurredAt,
      };
    });
    await this.projections.apply(stored, manager);
    return stored;
  }

  /** Returns the values of an event, in the order of the parameters of the append statements. */
  private toParameterValues({ streamId, event }: EventForStream): unknown[] {
    const { schemaVersion, nonPersonal, personal, subjectId, expiresAfterMs } = this.splitData(event);
    return [
      streamId,
      event.eventId,
      event.type,
      schemaVersion,
      nonPersonal,
      JSON.stringify(event.metadata ?? {}),
      event.occurredAt,
      personal,
      subjectId,
      expiresAfterMs === null ? null : new Date(event.occurredAt.getTime() + expiresAfterMs),
    ];
  }

  /**
   * Splits an event's data into the fields that are stored in the log and the personal ones, stored beside it. The
   * subject is the user whom the personal fields are about.
   */
  private splitData({ type, data }: Pick<NewEvent, 'type' | 'data'>) {
    const definition = this.eventTypes.get(type);
    const nonPersonal: Record<string, unknown> = {};
    const personal: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(data)) {
      (definition.personalFields.includes(field) ? personal : nonPersonal)[field] = value;
    }
    const hasPersonal = Object.keys(personal).length > 0;
    return {
      schemaVersion: definition.schemaVersion,
      nonPersonal: JSON.stringify(nonPersonal),
      personal: hasPersonal ? JSON.stringify(personal) : null,
      subjectId: hasPersonal ? (definition.subjectId?.({ ...nonPersonal, ...personal }) ?? null) : null,
      expiresAfterMs: hasPersonal ? (definition.personalExpiresAfterMs ?? null) : null,
    };
  }
}
