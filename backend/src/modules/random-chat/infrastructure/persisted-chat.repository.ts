import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** An event of a chat that is in PostgreSQL. Personal fields that have expired are absent. */
export interface PersistedChatEvent {
  seq: number;
  /**
   * Id of its entry in the chat's Redis stream; of a `MessageSent`, this is also the id of the message. '' for an event
   * that was appended to PostgreSQL only.
   */
  entryId: string;
  type: string;
  data: Record<string, unknown>;
}

interface EventRow {
  stream_position: string;
  entry_id: string | null;
  type: string;
  data: Record<string, unknown>;
  personal: Record<string, unknown> | null;
}

/** @param source the table `events`, or a subquery that selects from it */
const selectEventsFrom = (source: string): string => `
SELECT e.stream_position, e.metadata->>'entryId' AS entry_id, e.type, e.data, p.data AS personal
FROM ${source} e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id`;

const toEvent = (row: EventRow): PersistedChatEvent => ({
  seq: Number(row.stream_position),
  entryId: row.entry_id ?? '',
  type: row.type,
  data: { ...row.data, ...row.personal },
});

/**
 * Reads events of a chat from PostgreSQL, to which the worker copies them from Redis. The streams are short-lived, so
 * their events need no upcasting.
 */
@Injectable()
export class PersistedChatRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The last `limit` events with a `seq` below `beforeSeq`, newest first. */
  async readBackwards(streamId: string, beforeSeq: number, limit: number): Promise<PersistedChatEvent[]> {
    // Without the subquery, a wrong estimate of the stream's length can make the planner join all events before LIMIT.
    const page = `(
      SELECT * FROM events WHERE stream_id = $1 AND stream_position < $2 ORDER BY stream_position DESC LIMIT $3
    )`;
    const rows = await this.dataSource.query<EventRow[]>(
      `${selectEventsFrom(page)} ORDER BY e.stream_position DESC`,
      [streamId, beforeSeq, limit],
    );
    return rows.map(toEvent);
  }

  /** @returns null if the first event of the chat is not persisted. */
  async readFirst(streamId: string): Promise<PersistedChatEvent | null> {
    const [row] = await this.dataSource.query<EventRow[]>(
      `${selectEventsFrom('events')} WHERE e.stream_id = $1 AND e.stream_position = 1`,
      [streamId],
    );
    return row ? toEvent(row) : null;
  }

  /**
   * The messages with these ids and their edits, among the first `eventCount` events, newest first. Takes a few
   * milliseconds for 20,000 events (the maximum of a chat), since only the matching ones leave the database.
   */
  async findWithEdits(
    streamId: string,
    eventCount: number,
    messageIds: readonly string[],
  ): Promise<PersistedChatEvent[]> {
    if (messageIds.length === 0) return [];
    const rows = await this.dataSource.query<EventRow[]>(
      `${selectEventsFrom('events')} WHERE e.stream_id = $1 AND e.stream_position <= $2 AND (
         (e.type = 'MessageSent' AND e.metadata->>'entryId' = ANY ($3)) OR
         (e.type = 'MessageEdited' AND e.data->>'messageId' = ANY ($3)))
       ORDER BY e.stream_position DESC`,
      [streamId, eventCount, messageIds],
    );
    return rows.map(toEvent);
  }

  /** The number of messages among the first `eventCount` events; null if not all of these events are persisted. */
  async countMessages(streamId: string, eventCount: number): Promise<number | null> {
    if (eventCount === 0) return 0;
    const [row] = await this.dataSource.query<{ events: number; messages: number }[]>(
      `SELECT count(*)::int AS events, (count(*) FILTER (WHERE type = 'MessageSent'))::int AS messages
       FROM events WHERE stream_id = $1 AND stream_position <= $2`,
      [streamId, eventCount],
    );
    return row?.events === eventCount ? row.messages : null;
  }
}
