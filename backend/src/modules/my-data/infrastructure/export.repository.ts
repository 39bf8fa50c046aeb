import { Injectable } from '@nestjs/common';
import type { ExportRecord } from '@thaw/contract/my-data-export';
import { type UploadBucket, uploadUrl } from '@thaw/contract/uploads';
import { DataSource } from 'typeorm';
import { readPrimaryPosition, ReadReplicaService } from '../../../platform/database/read-replica.service';
import type { LogSequenceNumber } from '../../../platform/database/replica-lag.model';
import type { Login } from '../../../platform/http/login.decorator';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import type { ExportableEvent } from '../application/exported-events.rules';

/** Streams and rows per page. */
export const PAGE_SIZE = 200;
/** Events per page, except that the streams of a page are read whole if they have fewer. */
const EVENTS_PER_PAGE = 500;

/** The state of the log that an export has. */
export interface LogCut {
  snapshot: string;
  startedAt: Date;
  /** A read replica that has reached this position has all events of the snapshot. */
  position: LogSequenceNumber;
}

interface EventRow {
  stream_id: string;
  stream_position: string;
  type: string;
  schema_version: number;
  data: Record<string, unknown>;
  personal: Record<string, unknown> | null;
  entry_id: string | null;
  occurred_at: Date;
  is_readable: boolean;
}

/**
 * Whether an event was committed when the export began. The log only grows, so this gives every page the same state of
 * it without a transaction that stays open. Transactions last seconds, so events recorded ten minutes before the export
 * are in it; their transaction ids mean nothing where the database was restored from a dump.
 */
const isInCut = (event: string): string =>
  `(${event}.recorded_at < $4::timestamptz - interval '10 minutes' OR pg_visible_in_snapshot(${event}.transaction_id, $3::pg_snapshot))`;

const SELECT_EVENTS = `
SELECT e.stream_id, e.stream_position, e.type, e.schema_version, e.data, p.data - '{evidence,note}'::text[] AS personal,
  e.metadata->>'entryId' AS entry_id, e.occurred_at,
  e.type IN ('PrivateMessageSent', 'PrivateMessageEdited') AND NOT EXISTS (
    SELECT 1 FROM events later
    WHERE later.stream_id = e.stream_id AND later.stream_position > e.stream_position
      AND later.type = 'PrivateMessageEdited' AND ${isInCut('later')}) AS is_readable
FROM events e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
WHERE e.stream_id = ANY($1::text[]) AND e.type = ANY($2::text[]) AND ${isInCut('e')} AND e.stream_position > $5
  -- Reports and appeals of other users are in the streams of those whom they concern.
  AND CASE e.type
    WHEN 'ReportFiled' THEN (e.data->>'reporterId')::bigint = $6::bigint
    WHEN 'AppealFiled' THEN (e.data->>'appellantId')::bigint = $6::bigint
    WHEN 'AppealDecided' THEN EXISTS (
      SELECT 1 FROM appeals WHERE appeals.id = (e.data->>'appealId')::bigint AND appellant_id = $6::bigint)
    ELSE true END
ORDER BY e.stream_id, e.stream_position LIMIT $7`;

/** Pages of everything that the service stores about a user. Each page is a statement of its own. */
@Injectable()
export class ExportRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly eventTypes: EventTypeRegistry,
    private readonly replica: ReadReplicaService,
  ) {}

  async begin(): Promise<LogCut> {
    const [row] = await this.dataSource.query<{ snapshot: string; started_at: Date }[]>(
      'SELECT pg_current_snapshot()::text AS snapshot, now() AS started_at',
    );
    if (!row) throw new Error('A snapshot returned no row');
    const position = await readPrimaryPosition(this.dataSource.manager);
    return { snapshot: row.snapshot, startedAt: row.started_at, position };
  }

  /** Whether the login has not ended, nor its user been erased. */
  async isSignedIn({ userId, familyId }: Login): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM sessions WHERE family_id = $1 AND user_id = $2 AND expires_at > now() LIMIT 1',
      [familyId, userId],
    );
    return rows.length > 0;
  }

  /**
   * Yields the events of some streams that concern the user, of the given types, stream by stream in the given order.
   * `isReadable` says whether an event of a private message has its current text, not whether the user may read it.
   */
  async *readEvents(
    streamIds: readonly string[],
    types: readonly string[],
    userId: number,
    { snapshot, startedAt, position }: LogCut,
  ): AsyncGenerator<ExportableEvent[]> {
    for (const group of groupStreams(streamIds, await this.readVersions(streamIds, position))) {
      for (let after = 0; ;) {
        const limit = group.isLong ? EVENTS_PER_PAGE : null;
        const parameters = [group.streamIds, types, snapshot, startedAt, after, userId, limit];
        const rows = await this.readFrom<EventRow>(SELECT_EVENTS, parameters, position);
        if (rows.length > 0) yield this.toEvents(rows, group.streamIds);
        if (limit === null || rows.length < limit) break;
        after = Number(rows.at(-1)?.stream_position);
      }
    }
  }

  /** Other users of requests and friendships, present and past, in order of id. */
  async readRelated(userId: number, afterId: number): Promise<number[]> {
    return this.readIds(
      `(SELECT addressee_id AS id FROM friend_requests WHERE requester_id = $1 AND addressee_id > $2)
       UNION (SELECT requester_id FROM friend_requests WHERE addressee_id = $1 AND requester_id > $2)
       UNION (SELECT high_id FROM friendships WHERE low_id = $1 AND high_id > $2)
       UNION (SELECT low_id FROM friendships WHERE high_id = $1 AND low_id > $2)`,
      [userId, afterId],
    );
  }

  /** Users whom the user blocks or has blocked in the past. The read model has only present blocks. */
  async readBlocked(userId: number, afterId: number): Promise<number[]> {
    return this.readIds(
      `SELECT id FROM (
         SELECT substr(stream_id, length($1) + 1)::bigint AS id FROM event_streams
         WHERE stream_type = 'block' AND stream_id COLLATE "C" >= $1 AND stream_id COLLATE "C" < $2
       ) AS blocked WHERE id > $3`,
      // "." is the character after "-".
      [`block-${userId}-`, `block-${userId}.`, afterId],
    );
  }

  /** Users whom reports and appeals of the user concern, without the user. */
  async readReported(userId: number, afterId: number): Promise<number[]> {
    return this.readIds(
      `SELECT user_id AS id FROM reports WHERE reporter_id = $1 AND user_id > $2
       UNION SELECT user_id FROM appeals WHERE appellant_id = $1 AND user_id <> $1 AND user_id > $2`,
      [userId, afterId],
    );
  }

  async readChats(
    userId: number,
    afterId: number,
    { position }: LogCut,
  ): Promise<{ id: number; streamId: string }[]> {
    const rows = await this.readFrom<{ id: string; stream_id: string }>(
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

  async readPrivateMessages(
    userId: number,
    otherId: number,
    afterId: number,
    { position }: LogCut,
  ): Promise<number[]> {
    const rows = await this.readFrom<{ id: string }>(
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

  /** Yields the rows of plain tables that are about the user. */
  async *readRecords(userId: number): AsyncGenerator<ExportRecord[]> {
    for (const { table, text, toData } of recordQueries) {
      for (let offset: unknown = null; ;) {
        const rows = await this.dataSource.query<RecordRow[]>(text, [userId, offset, PAGE_SIZE]);
        if (rows.length > 0)
          yield rows.map(({ place: _, ...row }) => ({
            kind: 'record',
            section: 'records',
            table,
            data: toData?.(row) ?? row,
          }));
        if (rows.length < PAGE_SIZE) break;
        offset = rows.at(-1)?.place;
      }
    }
  }

  /** Reads what an export has much of, from the read replica if that has everything up to a position. */
  private readFrom<Row>(
    text: string,
    parameters: readonly unknown[],
    position: LogSequenceNumber,
  ): Promise<Row[]> {
    return this.replica.read((connection) => connection.query<Row[]>(text, [...parameters]), position);
  }

  private async readIds(select: string, parameters: readonly unknown[]): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(`${select} ORDER BY id LIMIT ${PAGE_SIZE}`, [
      ...parameters,
    ]);
    return rows.map(({ id }) => Number(id));
  }

  private async readVersions(
    streamIds: readonly string[],
    position: LogSequenceNumber,
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await this.readFrom<{ stream_id: string; version: string }>(
      'SELECT stream_id, version FROM event_streams WHERE stream_id = ANY($1)',
      [streamIds],
      position,
    );
    return new Map(rows.map((row) => [row.stream_id, Number(row.version)]));
  }

  private toEvents(rows: readonly EventRow[], streamIds: readonly string[]): ExportableEvent[] {
    const byStream = new Map<string, EventRow[]>(streamIds.map((streamId) => [streamId, []]));
    for (const row of rows) byStream.get(row.stream_id)?.push(row);
    return streamIds.flatMap((streamId) =>
      (byStream.get(streamId) ?? []).map((row) => {
        const { data } = this.eventTypes.upcastEvent({
          type: row.type,
          schemaVersion: row.schema_version,
          data: { ...row.data, ...row.personal },
        });
        return {
          streamId,
          position: Number(row.stream_position),
          type: row.type,
          occurredAt: row.occurred_at,
          // Edits and reactions refer to a message of a random chat by its entry id.
          data: row.type === 'MessageSent' ? { messageId: row.entry_id, ...data } : data,
          isReadable: row.is_readable,
        };
      }),
    );
  }
}

interface StreamGroup {
  streamIds: string[];
  /** A single stream that is read in pages. */
  isLong: boolean;
}

/** Groups consecutive streams so that the events of a group fit on a page, and leaves out those that do not exist. */
const groupStreams = (streamIds: readonly string[], versions: ReadonlyMap<string, number>): StreamGroup[] => {
  const groups: StreamGroup[] = [];
  let room = 0;
  for (const streamId of streamIds) {
    const version = versions.get(streamId);
    if (version === undefined) continue;
    const last = groups.at(-1);
    if (last && !last.isLong && version <= room) last.streamIds.push(streamId);
    else {
      groups.push({ streamIds: [streamId], isLong: version > EVENTS_PER_PAGE });
      room = EVENTS_PER_PAGE;
    }
    room -= version;
  }
  return groups;
};

type RecordRow = Record<string, unknown> & { place: unknown };

interface RecordQuery {
  table: string;
  /** $1 user, $2 the `place` of the last row of the previous page, or null, $3 rows per page. */
  text: string;
  toData?: (row: Record<string, unknown>) => Record<string, unknown>;
}

const recordQueries: readonly RecordQuery[] = [
  {
    table: 'sessions',
    text: `SELECT encode(id_hash, 'hex') AS place, refreshed_at AS "refreshedAt", expires_at AS "expiresAt" FROM sessions
      WHERE user_id = $1 AND ($2::text IS NULL OR id_hash > decode($2, 'hex')) ORDER BY id_hash LIMIT $3`,
  },
  {
    table: 'devices',
    text: `SELECT device_hash AS place, first_seen_at AS "firstSeenAt", seen_at AS "seenAt" FROM devices
      WHERE user_id = $1 AND ($2::text IS NULL OR device_hash > $2) ORDER BY device_hash LIMIT $3`,
  },
  {
    table: 'uploads',
    text: `SELECT key AS place, bucket, key, created_at AS "createdAt", content_type AS "contentType", size, width, height
      FROM uploads WHERE owner_id = $1 AND stored_at IS NOT NULL AND removed_at IS NULL
        AND ($2::text IS NULL OR key > $2) ORDER BY key LIMIT $3`,
    toData: ({ bucket, key, ...row }) => ({
      url: uploadUrl({ bucket: bucket as UploadBucket, key: String(key) }),
      ...row,
    }),
  },
  {
    table: 'private_reads',
    text: `SELECT friend_id AS place, friend_id::float8 AS "friendId", read_up_to::float8 AS "readUpTo" FROM private_reads
      WHERE user_id = $1 AND ($2::bigint IS NULL OR friend_id > $2::bigint) ORDER BY friend_id LIMIT $3`,
  },
  {
    // The texts of notices are in the events.
    table: 'notices',
    text: `SELECT notices.id AS place, notices.id::float8 AS id, kind, created_at AS "createdAt", seen_at AS "seenAt",
        rule, place AS "where", is_automatic AS "isAutomatic", starts_at AS "startsAt", until,
        report_id::float8 AS "reportId", report_outcome AS "reportOutcome"
      FROM notices LEFT JOIN notices_seen ON notice_id = notices.id
      WHERE recipient_id = $1 AND ($2::bigint IS NULL OR notices.id > $2::bigint) ORDER BY notices.id LIMIT $3`,
  },
];
