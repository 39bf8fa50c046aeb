import { Injectable } from '@nestjs/common';
import type { MessageType } from '@thaw/contract/scalars';
import { DataSource } from 'typeorm';

/** A private message with all its versions: the content as sent and after each edit. */
export interface PrivateTranscriptMessage {
  id: number;
  senderId: number;
  at: Date;
  messageType: MessageType;
  /** Oldest first. Empty for a deleted message, whose versions are erased with it. */
  contents: string[];
}

export interface PrivateTranscript {
  /** Oldest first. */
  messages: PrivateTranscriptMessage[];
  /** Number of messages between the two that are not included. */
  omitted: number;
}

interface RawMessage {
  id: string;
  sender_id: string;
  type: MessageType;
  created_at: Date;
  contents: string[] | null;
  total: number;
}

/**
 * $1 and $2: the two users; $3: number of newest messages to read; $4: ids of messages to read even if they are older.
 *
 * - A single statement, so that messages and total come from one snapshot.
 * - NOT MATERIALIZED lets PostgreSQL find the chosen messages by an index, instead of copying the conversation first.
 * - The events of a message are in the stream `private-<id>`, and their personal fields in `event_private`. The events
 *   with a `content` are the message as sent, and its edits.
 */
const TRANSCRIPT_SQL = `
WITH conversation AS NOT MATERIALIZED (
  SELECT id, sender_id, type, created_at FROM private_messages
  WHERE LEAST(sender_id, receiver_id) = LEAST($1::bigint, $2::bigint)
    AND GREATEST(sender_id, receiver_id) = GREATEST($1::bigint, $2::bigint)
), chosen AS (
  (SELECT * FROM conversation ORDER BY id DESC LIMIT $3)
  UNION
  SELECT * FROM conversation WHERE id = ANY ($4::bigint[])
)
SELECT chosen.*, (SELECT count(*)::int FROM conversation) AS total, (
  SELECT array_agg(p.data->>'content' ORDER BY e.stream_position)
  FROM events e JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
  WHERE e.stream_id = 'private-' || chosen.id AND p.data ? 'content'
) AS contents
FROM chosen ORDER BY chosen.id`;

/** Reads private messages with all their versions, for other modules. */
@Injectable()
export class PrivateTranscriptService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Reads the newest `newestCount` messages between the two, and those of `messageIds` that are older. Ids of other
   * conversations are ignored.
   */
  async read(
    userId: number,
    otherId: number,
    { newestCount, messageIds }: { newestCount: number; messageIds: readonly number[] },
  ): Promise<PrivateTranscript> {
    const rows = await this.dataSource.query<RawMessage[]>(TRANSCRIPT_SQL, [
      userId,
      otherId,
      newestCount,
      messageIds,
    ]);
    const messages = rows.map((row) => ({
      id: Number(row.id),
      senderId: Number(row.sender_id),
      at: row.created_at,
      messageType: row.type,
      contents: row.contents ?? [],
    }));
    // Each row has the total. Without rows the conversation is empty, because `newestCount` is at least 1.
    const total = rows[0]?.total ?? 0;
    return { messages, omitted: total - rows.length };
  }

  /** When the sender last wrote to the receiver; null if never. */
  async findLastMessageTime(senderId: number, receiverId: number): Promise<Date | null> {
    // LEAST and GREATEST select the conversation by the index that lists its messages in the order of their ids.
    const [row] = await this.dataSource.query<{ created_at: Date }[]>(
      `SELECT created_at FROM private_messages
       WHERE LEAST(sender_id, receiver_id) = LEAST($1::bigint, $2::bigint)
         AND GREATEST(sender_id, receiver_id) = GREATEST($1::bigint, $2::bigint) AND sender_id = $1
       ORDER BY id DESC LIMIT 1`,
      [senderId, receiverId],
    );
    return row?.created_at ?? null;
  }
}
