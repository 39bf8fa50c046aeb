import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** An event that has lost personal fields; `data` is the complete data that it had before. */
export interface DroppedData {
  streamId: string;
  eventId: string;
  type: string;
  data: Record<string, unknown>;
}

interface DroppedRow {
  stream_id: string;
  event_id: string;
  type: string;
  non_personal: object;
  personal: object;
}

export interface StreamDataExpiry {
  streamId: string;
  expiresAt: Date;
}

/**
 * The personal fields of events and their expiry. The fields are stored beside the log, in `event_private`, with an
 * expiry for each event; null if its fields never expire. `private_data_expiries` can bring forward the expiry for a
 * whole stream, except for fields that never expire.
 */
@Injectable()
export class PersonalDataRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Brings forward the expiry of the streams' personal data. Of several times for a stream, the earliest counts. Writes
   * one row per stream, regardless of how much data it has.
   */
  static async expireStreamsAt(expiries: readonly StreamDataExpiry[], manager: EntityManager): Promise<void> {
    await manager.query(
      `INSERT INTO private_data_expiries AS known (stream_id, expires_at)
       SELECT t.stream_id, min(t.expires_at)
       FROM unnest($1::text[], $2::timestamptz[]) AS t(stream_id, expires_at)
       WHERE EXISTS (SELECT 1 FROM event_private p WHERE p.stream_id = t.stream_id)
       GROUP BY t.stream_id
       ORDER BY t.stream_id
       ON CONFLICT (stream_id) DO UPDATE SET expires_at = LEAST(known.expires_at, excluded.expires_at)`,
      [expiries.map(({ streamId }) => streamId), expiries.map(({ expiresAt }) => expiresAt)],
    );
  }

  /**
   * Sets when the personal data of single events expires. Events without personal data are ignored.
   * @param expiryTimes by event id; null for personal data that never expires.
   */
  static async expireEventsAt(
    streamId: string,
    expiryTimes: ReadonlyMap<string, Date | null>,
    manager: EntityManager,
  ): Promise<void> {
    await manager.query(
      `UPDATE event_private p SET expires_at = change.expires_at
       FROM unnest($2::uuid[], $3::timestamptz[]) AS change(event_id, expires_at)
       WHERE p.stream_id = $1 AND p.event_id = change.event_id AND p.expires_at IS DISTINCT FROM change.expires_at`,
      [streamId, [...expiryTimes.keys()], [...expiryTimes.values()]],
    );
  }

  /** Returns at most `limit` ids of streams with expired personal data, without those in `except`. */
  async findExpiredStreams(
    now: Date,
    { limit, except }: { limit: number; except: readonly string[] },
  ): Promise<string[]> {
    const rows = await this.dataSource.query<{ stream_id: string }[]>(
      `SELECT stream_id FROM (
         (SELECT stream_id FROM private_data_expiries
          WHERE expires_at <= $1 AND stream_id <> ALL ($3) ORDER BY expires_at LIMIT $2)
         UNION
         (SELECT stream_id FROM event_private
          WHERE expires_at <= $1 AND stream_id <> ALL ($3) ORDER BY expires_at LIMIT $2)
       ) expired LIMIT $2`,
      [now, limit, except],
    );
    return rows.map(({ stream_id: streamId }) => streamId);
  }

  /** Drops a stream's expired personal data. @returns the events that had it. */
  async dropExpired(streamId: string, now: Date, manager: EntityManager): Promise<DroppedData[]> {
    const [rows] = await manager.query<[DroppedRow[], number]>(
      `DELETE FROM event_private p USING events e
       WHERE p.stream_id = $1 AND e.stream_id = p.stream_id AND e.event_id = p.event_id
         AND p.expires_at IS NOT NULL
         AND (p.expires_at <= $2 OR EXISTS (
           SELECT 1 FROM private_data_expiries s WHERE s.stream_id = p.stream_id AND s.expires_at <= $2))
       RETURNING e.stream_id, e.event_id, e.type, e.data AS non_personal, p.data AS personal`,
      [streamId, now],
    );
    await manager.query('DELETE FROM private_data_expiries WHERE stream_id = $1 AND expires_at <= $2', [
      streamId,
      now,
    ]);
    return rows.map(toDroppedData);
  }

  /** Drops some of the personal fields of a stream's events. @returns the events that had one of these fields. */
  async dropFields(
    streamId: string,
    fields: readonly string[],
    manager: EntityManager,
  ): Promise<DroppedData[]> {
    // `before` has the data before the update, which RETURNING cannot read from `p`.
    const [rows] = await manager.query<[DroppedRow[], number]>(
      `UPDATE event_private p SET data = before.data - $2::text[]
       FROM (SELECT * FROM event_private WHERE stream_id = $1 AND data ?| $2::text[] FOR UPDATE) before
       JOIN events e ON e.stream_id = before.stream_id AND e.event_id = before.event_id
       WHERE p.stream_id = before.stream_id AND p.event_id = before.event_id
       RETURNING e.stream_id, e.event_id, e.type, e.data AS non_personal, before.data AS personal`,
      [streamId, fields],
    );
    // Deletes the rows in which no value, or only null, is left.
    await manager.query(`DELETE FROM event_private WHERE stream_id = $1 AND jsonb_strip_nulls(data) = '{}'`, [
      streamId,
    ]);
    return rows.map(toDroppedData);
  }

  /**
   * Drops the personal fields of at most `limit` events that are about this user.
   * @returns the number of events; less than `limit` when there are no more.
   */
  static async dropAboutUser(userId: number, limit: number, manager: EntityManager): Promise<number> {
    const [, count] = await manager.query<[unknown, number]>(
      `DELETE FROM event_private p USING (
         SELECT stream_id, event_id FROM event_private WHERE subject_id = $1 LIMIT $2
       ) chosen WHERE p.stream_id = chosen.stream_id AND p.event_id = chosen.event_id`,
      [userId, limit],
    );
    return count;
  }
}

const toDroppedData = ({
  stream_id: streamId,
  event_id: eventId,
  type,
  non_personal: nonPersonal,
  personal,
}: DroppedRow): DroppedData => ({ streamId, eventId, type, data: { ...nonPersonal, ...personal } });
