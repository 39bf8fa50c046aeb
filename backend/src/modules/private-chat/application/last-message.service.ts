import { Injectable } from '@nestjs/common';
import { type LastMessage, toLastMessage } from '@thaw/contract/last-message';
import { limits } from '@thaw/contract/limits';
import type { MessageType } from '@thaw/contract/scalars';
import { DataSource } from 'typeorm';

interface RawLastMessage {
  friend_id: string;
  sender_id: string;
  type: MessageType;
  content: string;
  is_deleted: boolean;
  created_at: Date;
}

/**
 * $1 user, $2 ids of friends, $3 length of a preview in code points. One descent of `private_messages_conversation_idx`
 * per friend, regardless of the length of the conversations. The content of a message of text and images
 * (`mixed`) is read whole, because the markers of its images are at its end.
 */
export const LAST_MESSAGES_SQL = `
SELECT friend.id AS friend_id, last.sender_id, last.type, last.is_deleted, last.created_at,
       CASE last.type WHEN 'text' THEN left(last.content, $3::int) WHEN 'image' THEN '' ELSE last.content END AS content
FROM unnest($2::bigint[]) AS friend(id)
CROSS JOIN LATERAL (
  SELECT m.sender_id, m.type, m.content, m.is_deleted, m.created_at
  FROM private_messages m
  WHERE LEAST(m.sender_id, m.receiver_id) = LEAST($1::bigint, friend.id)
    AND GREATEST(m.sender_id, m.receiver_id) = GREATEST($1::bigint, friend.id)
  ORDER BY m.id DESC LIMIT 1
) AS last`;

/** The newest private messages, for other modules. Reads the read model, which contains no erased content. */
@Injectable()
export class LastMessageService {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest message between the user and each friend, by friend id; friends without messages are omitted. */
  async findLastMessages(
    userId: number,
    friendIds: readonly number[],
  ): Promise<ReadonlyMap<number, LastMessage>> {
    if (friendIds.length === 0) return new Map();
    const rows = await this.dataSource.query<RawLastMessage[]>(LAST_MESSAGES_SQL, [
      userId,
      friendIds,
      limits.lastMessagePreviewMaxCodePoints,
    ]);
    return new Map(
      rows.map((row) => [
        Number(row.friend_id),
        toLastMessage({
          senderId: Number(row.sender_id),
          type: row.type,
          content: row.content,
          isDeleted: row.is_deleted,
          createdAt: row.created_at.toISOString(),
        }),
      ]),
    );
  }
}
