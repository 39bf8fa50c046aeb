import { Injectable } from '@nestjs/common';
import type { ExportRecord } from '@thaw/contract/my-data-export';
import { type UploadBucket, uploadUrl } from '@thaw/contract/uploads';
import { DataSource } from 'typeorm';
import { readPrimaryPosition, ReadReplicaService } from '../../../platform/database/read-replica.service';
import type { LogSequenceNumber } from '../../../platform/database/replica-lag.model';
import type { Login } from '../../../platform/http/login.decorator';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import type { ExportableEvent } from '../application/exported-events.rules';

/** Rows per page of the queries that do not read events. */
export const PAGE_SIZE = 200;
/** Events per page. Only a stream with more events is read in several pages: see `groupStreams`. */
const EVENTS_PER_PAGE = 500;

/** Identifies the state of the event log that all pages of an export show. */
export interface LogSnapshot {
  /** The transactions that are visible, as PostgreSQL's `pg_snapshot`. */
  pgSnapshot: string;
  startedAt: Date;
  /** A read replica that has reached this position has all events of the snapshot. */
  position: LogSequenceNumber;
}

/** An `ExportableEvent` without `isReadable`, which `ExportContentService` computes from `isCurrentText`. */
type StoredExportableEvent = Omit<ExportableEvent, 'isReadable'> & {
  /** Whether the event has the current text of a private message. */
  isCurrentText: boolean;
};

interface EventRow {
  stream_id: string;
  stream_position: string;
  type: string;
  schema_version: number;
  data: Record<string, unknown>;
  personal: Record<string, unknown> | null;
  entry_id: string | null;
  occurred_at: Date;
  is_current_text: boolean;
}

/**
 * Builds an SQL condition: whether an event was committed when the export began. The log only grows, so every page
 * shows the same state of the log, without a transaction that stays open (docs/decisions/0063).
 *
 * An event recorded more than ten minutes before the export is certainly committed, because transactions last seconds.
 * Its transaction id is not compared: after a restore from a dump, it would mean nothing.
 * @param events an alias of the table `events`. Parameters of the statement: $3 `pgSnapshot`, $4 `startedAt`.
 */
const buildIsInSnapshotSql = (events: string): string =>
  `(${events}.recorded_at < $4::timestamptz - interval '10 minutes' OR pg_visible_in_snapshot(${events}.transaction_id, $3::pg_snapshot))`;

/**
 * Parameters: $1 stream ids, $2 event types, $3 `pgSnapshot`, $4 `startedAt`, $5 the position in the stream after which
 * to read (0 for several streams), $6 the id of the user, $7 the maximum number of events, or null for no
 * maximum. The fields `evidence` and `note` are not read: they are for moderators only.
 */
const SELECT_EVENTS = `
SELECT e.stream_id, e.stream_position, e.type, e.schema_version, e.data, p.data - '{evidence,note}'::text[] AS personal,
  e.metadata->>'entryId' AS entry_id, e.occurred_at,
  e.type IN ('PrivateMessageSent', 'PrivateMessageEdited') AND NOT EXISTS (
    SELECT 1 FROM events later
    WHERE later.stream_id = e.stream_id AND later.stream_position > e.stream_position
      AND later.type = 'PrivateMessageEdited' AND ${buildIsInSnapshotSql('later')}) AS is_current_text
FROM events e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
WHERE e.stream_id = ANY($1::text[]) AND e.type = ANY($2::text[]) AND ${buildIsInSnapshotSql('e')} AND e.stream_position > $5
  -- The conduct stream of a user also has reports and appeals by other users, which are not exported to the user.
  AND CASE e.type
    WHEN 'ReportFiled' THEN (e.data->>'reporterId')::bigint = $6::bigint
    WHEN 'AppealFiled' THEN (e.data->>'appellantId')::bigint = $6::bigint
    WHEN 'AppealDecided' THEN EXISTS (
      SELECT 1 FROM appeals WHERE appeals.id = (e.data->>'appealId')::bigint AND appellant_id = $6::bigint)
    ELSE true END
ORDER BY e.stream_id, e.stream_position LIMIT $7`;

/** Reads everything that the service stores about a user, in pages. Each page is a separate statement. */
@Injectable()
export class ExportRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly eventTypes: EventTypeRegistry,
    private readonly replica: ReadReplicaService,
  ) {}

  /** Takes the snapshot of an export that begins now. */
  async takeSnapshot(): Promise<LogSnapshot> {
    const [row] = await this.dataSource.query<{ pg_snapshot: string; started_at: Date }[]>(
      'SELECT pg_current_snapshot()::text AS pg_snapshot, now() AS started_at',
    );
    if (!row) throw new Error('A snapshot returned no row');
    // Read after the snapshot, so that all events of the snapshot are at or before the position.
    const position = await readPrimaryPosition(this.dataSource.manager);
    return { pgSnapshot: row.pg_snapshot, startedAt: row.started_at, position };
  }

  /**
   * Whether the login is still valid. A logout ends it, and so does the erasure of the user. The query uses the
   * `familyId`, because a login keeps it when its session id is replaced.
   */
  async isSignedIn({ userId, familyId }: Login): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM sessions WHERE family_id = $1 AND user_id = $2 AND expires_at > now() LIMIT 1',
      [familyId, userId],
    );
    return rows.length > 0;
  }

  /**
   * Yields the events of the given types from some streams, stream by stream in the given order. Reports and appeals by
   * other users are left out.
   */
  async *readEvents(
    streamIds: readonly string[],
    types: readonly string[],
    userId: number,
    snapshot: LogSnapshot,
  ): AsyncGenerator<StoredExportableEvent[]> {
    const eventCounts = await this.countEvents(streamIds, snapshot.position);
    for (const group of groupStreams(streamIds, eventCounts))
      yield* this.readGroup(group, types, userId, snapshot);
  }

  /** Ids of the users with whom the user has or had a friendship or a friend request, in ascending order. */
  async readRelatedUserIds(userId: number, afterId: number): Promise<number[]> {
    return this.readIds(
      `(SELECT addressee_id AS id FROM friend_requests WHERE requester_id = $1 AND addressee_id > $2)
       UNION (SELECT requester_id FROM friend_requests WHERE addressee_id = $1 AND requester_id > $2)
       UNION (SELECT high_id FROM friendships WHERE low_id = $1 AND high_id > $2)
       UNION (SELECT low_id FROM friendships WHERE high_id = $1 AND low_id > $2)`,
      [userId, afterId],
    );
  }

  /** Ids of users whom the user blocks or has blocked in the past. Past blocks are not in the read model of blocks. */
  async readBlockedUserIds(userId: number, afterId: number): Promise<number[]> {
    return this.readIds(
      `SELECT id FROM (
         SELECT substr(stream_id, length($1) + 1)::bigint AS id FROM event_streams
         WHERE stream_type = 'block' AND stream_id COLLATE "C" >= $1 AND stream_id COLLATE "C" < $2
       ) AS blocked WHERE id > $3`,
      // "." is the character after "-", so the range has all stream ids with the prefix.
      [`block-${userId}-`, `block-${userId}.`, afterId],
    );
  }

  /**
   * Ids of the other users whom the user's reports and appeals concern. An appeal concerns another user if it is about
   * the decision on a report.
   */
  async readReportedUserIds(userId: number, afterId: number): Promise<number[]> {
    return this.readIds(
      `SELECT user_id AS id FROM reports WHERE reporter_id = $1 AND user_id > $2
       UNION SELECT user_id FROM appeals WHERE appellant_id = $1 AND user_id <> $1 AND user_id > $2`,
      [userId, afterId],
    );
  }

  async readChats(
    userId: number,
    afterId: number,
    { position }: LogSnapshot,
  ): Promise<{ id: number; streamId: string }[]> {
    const rows = await this.readAtPosition<{ id: string; stream_id: string }>(
      `SELECT id, stream_id FROM (
         (SELECT id, stream_id FROM chat_history WHERE user1_id = $1 AND id > $2 ORDER BY id LIMIT $3)
         UNION ALL
         (SELECT id, stream_id FROM chat_history WHERE user2_id = $1 AND id > $2 ORDER BY id LIMIT $3)
       ) AS chats ORDER BY id LIMIT $3`,
      [userId, afterId, PAGE_SIZE],
      position,
    );
    return rows.map((row) => ({ id: Number(row.id), streamId: row.stream_id }));
  }

  async readPrivateMessageIds(
    userId: number,
    otherId: number,
    afterId: number,
    { position }: LogSnapshot,
  ): Promise<number[]> {
    const rows = await this.readAtPosition<{ id: string }>(
      `SELECT id FROM private_messages
       WHERE LEAST(sender_id, receiver_id) = LEAST($1::bigint, $2::bigint)
         AND GREATEST(sender_id, receiver_id) = GREATEST($1::bigint, $2::bigint) AND id > $3
       ORDER BY id LIMIT $4`,
      [userId, otherId, afterId, PAGE_SIZE],
      position,
    );
    return rows.map(({ id }) => Number(id));
  }

  async areFriends(userId: number, otherId: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM friendships WHERE low_id = LEAST($1::bigint, $2::bigint) AND high_id = GREATEST($1::bigint, $2::bigint)`,
      [userId, otherId],
    );
    return rows.length > 0;
  }

  /** Yields the rows about the user that the `recordQueries` select. */
  async *readRecords(userId: number): AsyncGenerator<ExportRecord[]> {
    for (const query of recordQueries) yield* this.readTable(query, userId);
  }

  private async *readTable(
    { table, sql, toData }: RecordQuery,
    userId: number,
  ): AsyncGenerator<ExportRecord[]> {
    let afterKey: unknown = null;
    for (;;) {
      const rows = await this.dataSource.query<RecordRow[]>(sql, [userId, afterKey, PAGE_SIZE]);
      if (rows.length > 0)
        yield rows.map(({ pageKey: _, ...row }) => ({
          kind: 'record',
          section: 'records',
          table,
          data: toData?.(row) ?? row,
        }));
      if (rows.length < PAGE_SIZE) return;
      afterKey = rows.at(-1)?.pageKey;
    }
  }

  /** Yields the events of a group: page by page if it is long, otherwise all at once. */
  private async *readGroup(
    { streamIds, isLong }: StreamGroup,
    types: readonly string[],
    userId: number,
    { pgSnapshot, startedAt, position }: LogSnapshot,
  ): AsyncGenerator<StoredExportableEvent[]> {
    const limit = isLong ? EVENTS_PER_PAGE : null;
    let afterPosition = 0;
    for (;;) {
      const parameters = [streamIds, types, pgSnapshot, startedAt, afterPosition, userId, limit];
      const rows = await this.readAtPosition<EventRow>(SELECT_EVENTS, parameters, position);
      if (rows.length > 0) yield this.toEvents(rows, streamIds);
      const isLastPage = limit === null || rows.length < limit;
      if (isLastPage) return;
      afterPosition = Number(rows.at(-1)?.stream_position);
    }
  }

  /** Reads from the read replica if it has everything up to `position`, otherwise from the primary. */
  private readAtPosition<Row>(
    text: string,
    parameters: readonly unknown[],
    position: LogSequenceNumber,
  ): Promise<Row[]> {
    return this.replica.read((connection) => connection.query<Row[]>(text, [...parameters]), position);
  }

  /** @param select a query or UNION with the column `id`. The result is one page of ids, in ascending order. */
  private async readIds(select: string, parameters: readonly unknown[]): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(`${select} ORDER BY id LIMIT ${PAGE_SIZE}`, [
      ...parameters,
    ]);
    return rows.map(({ id }) => Number(id));
  }

  /** Counts the events of each stream that exists: the version of a stream is its number of events. */
  private async countEvents(
    streamIds: readonly string[],
    position: LogSequenceNumber,
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await this.readAtPosition<{ stream_id: string; version: string }>(
      'SELECT stream_id, version FROM event_streams WHERE stream_id = ANY($1)',
      [streamIds],
      position,
    );
    return new Map(rows.map((row) => [row.stream_id, Number(row.version)]));
  }

  /** @returns the events in the order of `streamIds`. */
  private toEvents(rows: readonly EventRow[], streamIds: readonly string[]): StoredExportableEvent[] {
    const rowsByStream = new Map<string, EventRow[]>(streamIds.map((streamId) => [streamId, []]));
    for (const row of rows) rowsByStream.get(row.stream_id)?.push(row);
    const orderedRows = streamIds.flatMap((streamId) => rowsByStream.get(streamId) ?? []);
    return orderedRows.map((row) => this.toEvent(row));
  }

  private toEvent(row: EventRow): StoredExportableEvent {
    const { data } = this.eventTypes.upcastEvent({
      type: row.type,
      schemaVersion: row.schema_version,
      data: { ...row.data, ...row.personal },
    });
    return {
      streamId: row.stream_id,
      position: Number(row.stream_position),
      type: row.type,
      occurredAt: row.occurred_at,
      // Edits and reactions refer to a message of a random chat by its entry id.
      data: row.type === 'MessageSent' ? { messageId: row.entry_id, ...data } : data,
      isCurrentText: row.is_current_text,
    };
  }
}

interface StreamGroup {
  streamIds: string[];
  /** Whether the group is a single stream that is read in several pages. */
  isLong: boolean;
}

/**
 * Groups consecutive streams so that the events of a group fit on a page. A stream that does not fit is a group of its
 * own. Omits streams that do not exist.
 */
const groupStreams = (
  streamIds: readonly string[],
  eventCounts: ReadonlyMap<string, number>,
): StreamGroup[] => {
  const groups: StreamGroup[] = [];
  /** Number of events in the last group. */
  let groupSize = 0;
  for (const streamId of streamIds) {
    const eventCount = eventCounts.get(streamId);
    if (eventCount === undefined) continue;
    const last = groups.at(-1);
    if (last && groupSize + eventCount <= EVENTS_PER_PAGE) {
      last.streamIds.push(streamId);
      groupSize += eventCount;
    } else {
      groups.push({ streamIds: [streamId], isLong: eventCount > EVENTS_PER_PAGE });
      groupSize = eventCount;
    }
  }
  return groups;
};

/** `pageKey`: the value by which the query is ordered. It is not exported. */
type RecordRow = Record<string, unknown> & { pageKey: unknown };

interface RecordQuery {
  table: string;
  /** $1 id of the user, $2 `pageKey` of the last row of the previous page or null, $3 rows per page. */
  sql: string;
  toData?: (row: Record<string, unknown>) => Record<string, unknown>;
}

/** The queries cast exported ids to `float8`, because the driver returns `bigint` as text. A `pageKey` may be text. */
const recordQueries: readonly RecordQuery[] = [
  {
    table: 'sessions',
    sql: `SELECT encode(id_hash, 'hex') AS "pageKey", refreshed_at AS "refreshedAt", expires_at AS "expiresAt" FROM sessions
      WHERE user_id = $1 AND ($2::text IS NULL OR id_hash > decode($2, 'hex')) ORDER BY id_hash LIMIT $3`,
  },
  {
    table: 'devices',
    sql: `SELECT device_hash AS "pageKey", first_seen_at AS "firstSeenAt", seen_at AS "seenAt" FROM devices
      WHERE user_id = $1 AND ($2::text IS NULL OR device_hash > $2) ORDER BY device_hash LIMIT $3`,
  },
  {
    table: 'uploads',
    sql: `SELECT key AS "pageKey", bucket, key, created_at AS "createdAt", content_type AS "contentType", size, width, height
      FROM uploads WHERE owner_id = $1 AND stored_at IS NOT NULL AND removed_at IS NULL -- the files that exist
        AND ($2::text IS NULL OR key > $2) ORDER BY key LIMIT $3`,
    toData: ({ bucket, key, ...row }) => ({
      url: uploadUrl({ bucket: bucket as UploadBucket, key: String(key) }),
      ...row,
    }),
  },
  {
    table: 'private_reads',
    sql: `SELECT friend_id AS "pageKey", friend_id::float8 AS "friendId", read_up_to::float8 AS "readUpTo" FROM private_reads
      WHERE user_id = $1 AND ($2::bigint IS NULL OR friend_id > $2::bigint) ORDER BY friend_id LIMIT $3`,
  },
  {
    // Without the texts of the notices, which are exported with the events.
    table: 'notices',
    sql: `SELECT notices.id AS "pageKey", notices.id::float8 AS id, kind, created_at AS "createdAt", seen_at AS "seenAt",
        rule, place AS "where", is_automatic AS "isAutomatic", starts_at AS "startsAt", until,
        report_id::float8 AS "reportId", report_outcome AS "reportOutcome"
      FROM notices LEFT JOIN notices_seen ON notice_id = notices.id
      WHERE recipient_id = $1 AND ($2::bigint IS NULL OR notices.id > $2::bigint) ORDER BY notices.id LIMIT $3`,
  },
];
