import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Personal fields of an event that were dropped, with the rest of its data. */
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
  open: object;
  personal: object;
}

/** The personal fields that lie apart from the log, and their time. */
@Injectable()
export class PersonalDataRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * What these streams hold expires at this time, unless it does before; what never expires stays. Writes one row a
   * stream, however much it holds.
   */
  static async expireStreamsAt(
    streamIds: readonly string[],
    expireAt: readonly Date[],
    manager: EntityManager,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO private_data_expiries AS known (stream_id, expires_at)
       SELECT t.stream_id, min(t.expires_at)
       FROM unnest($1::text[], $2::timestamptz[]) AS t(stream_id, expires_at)
       WHERE EXISTS (SELECT 1 FROM event_private p WHERE p.stream_id = t.stream_id)
       GROUP BY t.stream_id
       ORDER BY t.stream_id
       ON CONFLICT (stream_id) DO UPDATE SET expires_at = LEAST(known.expires_at, excluded.expires_at)`,
      [streamIds, expireAt],
    );
  }

  /**
   * Streams that hold something whose time is over, the oldest first, at most `limit`; none of `except`. Empty when
   * there are no more.
   */
  async expiredStreams(now: Date, limit: number, except: readonly string[] = []): Promise<string[]> {
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

  /** Drops what has expired of a stream. @returns what it was. */
  async dropExpired(streamId: string, now: Date, manager: EntityManager): Promise<DroppedData[]> {
    const dropped = await this.drop(
      `p.expires_at IS NOT NULL AND (p.expires_at <= $2 OR EXISTS (
         SELECT 1 FROM private_data_expiries x WHERE x.stream_id = p.stream_id AND x.expires_at <= $2))`,
      [streamId, now],
      manager,
    );
    await manager.query('DELETE FROM private_data_expiries WHERE stream_id = $1 AND expires_at <= $2', [
      streamId,
      now,
    ]);
    return dropped;
  }

  /** Drops all that a stream holds. @returns what it was. */
  async dropAll(streamId: string, manager: EntityManager): Promise<DroppedData[]> {
    return this.drop('true', [streamId], manager);
  }

  private async drop(
    condition: string,
    parameters: readonly unknown[],
    manager: EntityManager,
  ): Promise<DroppedData[]> {
    const rows = await manager.query<[DroppedRow[], number]>(
      `DELETE FROM event_private p USING events e
       WHERE p.stream_id = $1 AND ${condition} AND e.stream_id = p.stream_id AND e.event_id = p.event_id
       RETURNING e.stream_id, e.event_id, e.type, e.data AS open, p.data AS personal`,
      [...parameters],
    );
    return rows[0].map(({ stream_id: streamId, event_id: eventId, type, open, personal }) => ({
      streamId,
      eventId,
      type,
      data: { ...open, ...personal },
    }));
  }
}
