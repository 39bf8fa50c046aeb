import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { findViolatedUniqueConstraint } from '../database/constraint-violation.errors';
import { type PreparedStatement, runPrepared } from '../database/prepared-statement.functions';
import { appendAtAnyVersionSql, appendAtExactVersionSql, appendToNewStreamSql } from './append.sql';
import { StreamVersionConflictError } from './event-store.errors';
import { EventTypeRegistry } from './event-type.registry';
import { type Projection, ProjectionRegistry } from './projection.registry';
import type { NewEvent, StoredEvent } from './stored-event.types';

/** The number of events that the stream must have. `none` means 0: the stream must not exist. `any`: no condition. */
export type ExpectedVersion = number | 'none' | 'any';

/** An event with its stream, for `appendBatch`. */
export interface EventForStream {
  streamId: string;
  event: NewEvent;
}

/** A statement that opens a stream with its first event. */
export interface StreamOpening {
  /** Its text was built by `buildOpenStreamSql`. */
  statement: PreparedStatement;
  /** Name of the projection whose read model the statement writes. */
  projection: string;
  /** The event. The statement adds its time, and may add fields to `data`. */
  event: Omit<NewEvent, 'occurredAt'>;
  /** The further parameters of the statement: $9 and so on. */
  parameters: readonly unknown[];
}

/** The columns that every statement of `buildOpenStreamSql` returns. */
interface OpenedRow {
  stream_id: string;
  occurred_at: Date;
  /** The fields that the statement has added to `data`. */
  assigned: object;
  /** False for a retry of a command that has already opened its stream; nothing was written then. */
  is_new: boolean;
  global_position: string | null;
}

interface AppendedRow {
  /** Index of the event in the parameters, from 1. */
  ordinal: number;
  /** Both positions are null if the stream was not at the expected version; nothing was written then. */
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

/** The data of an event as they are stored: the personal fields beside the log, the others in it. */
interface SplitData {
  schemaVersion: number;
  /** JSON. */
  nonPersonal: string;
  /** JSON. Null if the event has no personal fields; the two fields below are null then, too. */
  personal: string | null;
  /** The user whom the personal fields are about. */
  subjectId: number | null;
  expiresAfterMs: number | null;
}

const SELECT_EVENTS = `
SELECT e.global_position, e.stream_id, e.stream_position, e.event_id, e.type, e.schema_version, e.data,
       p.data AS personal, e.metadata, e.occurred_at
FROM events e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id`;

/**
 * Up to this number of events, the append statement is prepared, so that it is planned only once. Planning takes as
 * long as appending about 25 events. Larger appends are faster with a plan for their own number of events, by 20 % for
 * 2,000 events (docs/decisions/0081).
 */
const MAX_PREPARED_EVENTS = 256;

const appendAtAnyVersion: PreparedStatement = { name: 'append_to_any', text: appendAtAnyVersionSql };
const appendToNewStream: PreparedStatement = { name: 'append_to_none', text: appendToNewStreamSql };
const appendAtExactVersion: PreparedStatement = { name: 'append_to_exact', text: appendAtExactVersionSql };

/** Returns the append statement for an expected version, and its parameters after $10. */
const chooseAppend = (
  expected: ExpectedVersion,
): { statement: PreparedStatement; versionParameters: readonly number[] } => {
  if (expected === 'any') return { statement: appendAtAnyVersion, versionParameters: [] };
  if (expected === 'none' || expected === 0) return { statement: appendToNewStream, versionParameters: [] };
  return { statement: appendAtExactVersion, versionParameters: [expected] };
};

/** PostgreSQL reports a violated constraint by the name that it has in the partition, such as `events_p07`. */
const POSITION_CONSTRAINT = /^events_p\d\d_pkey$/;
const EVENT_ID_CONSTRAINT = /^events_p\d\d_stream_id_event_id_key$/;

const isViolationOf = (constraint: RegExp, error: unknown): boolean =>
  constraint.test(findViolatedUniqueConstraint(error) ?? '');

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
   * Returns the first `limit` events of the log after the position `after` and up to `upTo`, in order of position. A
   * transaction that commits late may add an event at a position that was passed. `LogPositionRepository` finds settled
   * positions: no event can appear at or below them any more.
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
   * Appends to one stream and runs the projections, in the transaction of `manager` or else in a new one. If another
   * transaction commits the same event id concurrently, a new transaction is retried. With `manager`, the violated
   * constraint is thrown, and the caller must retry the transaction.
   * @returns the events that were new, with their positions; events whose id was already stored are left out.
   * @throws StreamVersionConflictError when the stream is not at `expected`; nothing is appended.
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
   * @returns the row that the statement returns, with the columns of `Row`. Null if it returns none: it has refused the
   * command and written nothing.
   */
  async open<Row>(opening: StreamOpening): Promise<Row | null> {
    const otherProjections = this.projections.findOtherProjections(opening.projection, opening.event);
    const needsTransaction = otherProjections.length > 0;
    const run = (manager: EntityManager) => this.runOpening(manager, opening, otherProjections);
    const row = await (needsTransaction ? this.dataSource.transaction(run) : run(this.dataSource.manager));
    return row as Row | null;
  }

  /** Runs the statement and, if it has written the event, the other projections that the event concerns. */
  private async runOpening(
    manager: EntityManager,
    { statement, event, parameters }: StreamOpening,
    otherProjections: readonly Projection[],
  ): Promise<OpenedRow | null> {
    const { schemaVersion, nonPersonal, personal, subjectId, expiresAfterMs } = this.splitData(event);
    const [row] = await runPrepared<OpenedRow[]>(manager, statement, [
      event.eventId, // $1
      event.type,
      schemaVersion,
      nonPersonal,
      JSON.stringify(event.metadata ?? {}),
      personal,
      subjectId,
      expiresAfterMs, // $8
      ...parameters,
    ]);
    if (row?.is_new) {
      const stored = toOpeningEvent(row, event, schemaVersion);
      for (const projection of otherProjections) await projection.apply([stored], manager);
    }
    return row ?? null;
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
        if (!isViolationOf(EVENT_ID_CONSTRAINT, error)) throw error;
        // A concurrent transaction committed the same event after the statement had looked for it. The retry finds it.
      }
    }
  }

  private async insertInTransaction(
    manager: EntityManager,
    entries: readonly EventForStream[],
    expected: ExpectedVersion,
  ): Promise<StoredEvent[]> {
    const rows = await this.runAppend(manager, entries, expected);
    if (!rows) {
      this.conflictCount += 1;
      // All entries are for one stream, because appends to several streams expect no version.
      throw new StreamVersionConflictError(entries[0]?.streamId ?? '', expected);
    }
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

  /**
   * @returns a row for each new event; null if the stream is not at the expected version, or if a concurrent
   * transaction has taken a position.
   */
  private async runAppend(
    manager: EntityManager,
    entries: readonly EventForStream[],
    expected: ExpectedVersion,
  ): Promise<AppendedRow[] | null> {
    const { statement, versionParameters } = chooseAppend(expected);
    const parameters = [...this.toColumns(entries), ...versionParameters];
    try {
      const rows =
        entries.length <= MAX_PREPARED_EVENTS
          ? await runPrepared<AppendedRow[]>(manager, statement, parameters)
          : await manager.query<AppendedRow[]>(statement.text, parameters);
      return rows.some((row) => row.global_position === null) ? null : rows;
    } catch (error) {
      if (isViolationOf(POSITION_CONSTRAINT, error)) return null;
      throw error;
    }
  }

  /** Returns the parameters $1 to $10 of the append statements: for each column, its values in all events. */
  private toColumns(entries: readonly EventForStream[]): unknown[][] {
    const rows = entries.map(({ streamId, event }) => ({ streamId, event, split: this.splitData(event) }));
    return [
      rows.map(({ streamId }) => streamId),
      rows.map(({ event }) => event.eventId),
      rows.map(({ event }) => event.type),
      rows.map(({ split }) => split.schemaVersion),
      rows.map(({ split }) => split.nonPersonal),
      rows.map(({ event }) => JSON.stringify(event.metadata ?? {})),
      rows.map(({ event }) => event.occurredAt),
      rows.map(({ split }) => split.personal),
      rows.map(({ split }) => split.subjectId),
      rows.map(({ event, split }) => toExpiry(event.occurredAt, split.expiresAfterMs)),
    ];
  }

  private splitData({ type, data }: Pick<NewEvent, 'type' | 'data'>): SplitData {
    const definition = this.eventTypes.get(type);
    const nonPersonal: Record<string, unknown> = {};
    const personal: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(data)) {
      if (definition.personalFields.includes(field)) personal[field] = value;
      else nonPersonal[field] = value;
    }
    const common = { schemaVersion: definition.schemaVersion, nonPersonal: JSON.stringify(nonPersonal) };
    const hasPersonal = Object.keys(personal).length > 0;
    if (!hasPersonal) return { ...common, personal: null, subjectId: null, expiresAfterMs: null };
    return {
      ...common,
      personal: JSON.stringify(personal),
      subjectId: definition.subjectId?.({ ...nonPersonal, ...personal }) ?? null,
      expiresAfterMs: definition.personalExpiresAfterMs ?? null,
    };
  }
}

const toExpiry = (occurredAt: Date, expiresAfterMs: number | null): Date | null =>
  expiresAfterMs === null ? null : new Date(occurredAt.getTime() + expiresAfterMs);
