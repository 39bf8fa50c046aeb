import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Personal fields of an event that were dropped, with the rest of its data. */
export interface DroppedData {
  type: string;
  data: Record<string, unknown>;
}

/** The personal fields that lie apart from the log, and their time. */
@Injectable()
export class PersonalData {
  constructor(private readonly dataSource: DataSource) {}

  /** What these streams hold expires at this time, unless it does before; what never expires stays. */
  static async shorten(
    streamIds: readonly string[],
    expireAt: readonly Date[],
    manager: EntityManager,
  ): Promise<void> {
    await manager.query(
      `UPDATE event_private p SET expires_at = LEAST(p.expires_at, t.expires_at)
       FROM unnest($1::text[], $2::timestamptz[]) AS t(stream_id, expires_at)
       WHERE p.stream_id = t.stream_id AND p.expires_at > t.expires_at`,
      [streamIds, expireAt],
    );
  }

  /** Streams that hold something whose time is over, at most `limit`. */
  async expiredStreams(now: Date, limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ stream_id: string }[]>(
      'SELECT DISTINCT stream_id FROM event_private WHERE expires_at <= $1 LIMIT $2',
      [now, limit],
    );
    return rows.map(({ stream_id: streamId }) => streamId);
  }

  /** Drops what has expired of a stream. @returns what it was. */
  async dropExpired(streamId: string, now: Date, manager: EntityManager): Promise<DroppedData[]> {
    return this.drop('p.expires_at <= $2', [streamId, now], manager);
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
    const rows = await manager.query<[{ type: string; open: object; personal: object }[], number]>(
      `DELETE FROM event_private p USING events e
       WHERE p.stream_id = $1 AND ${condition} AND e.stream_id = p.stream_id AND e.event_id = p.event_id
       RETURNING e.type, e.data AS open, p.data AS personal`,
      [...parameters],
    );
    return rows[0].map(({ type, open, personal }) => ({ type, data: { ...open, ...personal } }));
  }
}
