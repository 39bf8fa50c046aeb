import { Injectable } from '@nestjs/common';
import type { MessageType } from '@thaw/contract/scalars';
import { DataSource } from 'typeorm';
import { type ReadConnection, ReadReplicaService } from '../../../platform/database/read-replica.service';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import type { PrivateMessageSent } from '../domain/private-message.events';
import type { PrivateReaction } from '../domain/private-message.state';
import { privateMessagesProjection } from '../projections/private-messages.projection';
import { RecentChangeRepository } from './recent-change.repository';
import { SEND_STATEMENT } from './send-private-message.sql';

export interface QuotedRow {
  id: number;
  senderId: number;
  type: MessageType;
  content: string;
}

export interface PrivateMessageRow {
  id: number;
  senderId: number;
  receiverId: number;
  type: MessageType;
  content: string;
  createdAt: Date;
  isEdited: boolean;
  isDeleted: boolean;
  reactions: PrivateReaction[];
  quoted: QuotedRow | null;
}

/** A message that an earlier attempt to send it, with the same client id, has stored. */
export interface StoredMessage {
  id: number;
  receiverId: number;
  createdAt: Date;
}

/**
 * The result of sending. Nothing was stored now if the message is already stored, or if it is a reply and `quoted` is
 * null. `id` and `createdAt` are assigned in any case.
 */
export interface SendOutcome {
  /** Higher than the id of every older message between the two. */
  id: number;
  createdAt: Date;
  alreadyStored: StoredMessage | null;
  /** The message to which a reply refers, if it belongs to this conversation and is not deleted. */
  quoted: QuotedRow | null;
}

interface StoredColumns {
  /** If this is null, the message is not stored yet, and all columns are null. */
  stored_id: string | null;
  stored_receiver_id: string;
  stored_at: Date;
}

interface QuotedColumns {
  /** If this is null, no message is quoted, and all columns are null. */
  quoted_id: string | null;
  quoted_sender_id: string;
  quoted_type: MessageType;
  quoted_content: string;
}

interface RawSendOutcome extends StoredColumns, QuotedColumns {
  id: string;
  occurred_at: Date;
}

interface RawMessage extends QuotedColumns {
  id: string;
  sender_id: string;
  receiver_id: string;
  type: MessageType;
  content: string;
  created_at: Date;
  is_edited: boolean;
  is_deleted: boolean;
  reactions: PrivateReaction[];
}

/**
 * $1 and $2 the two users, $3 the id below which messages are read, $4 maximum number of messages. An index contains
 * the expressions with LEAST and GREATEST, which are the same for both directions of a conversation.
 */
const CONVERSATION_SQL = `
SELECT m.id, m.sender_id, m.receiver_id, m.type, m.content, m.created_at, m.is_edited, m.is_deleted, m.reactions,
       quoted.id AS quoted_id, quoted.sender_id AS quoted_sender_id, quoted.type AS quoted_type,
       quoted.content AS quoted_content
FROM private_messages m LEFT JOIN private_messages quoted ON quoted.id = m.reply_to_id
WHERE LEAST(m.sender_id, m.receiver_id) = LEAST($1::bigint, $2::bigint)
  AND GREATEST(m.sender_id, m.receiver_id) = GREATEST($1::bigint, $2::bigint)
  AND m.id < $3
ORDER BY m.id DESC LIMIT $4`;

/** Counting stops here, because the page shows more than 99 as "99+". */
const MAX_UNREAD_COUNT = 100;

/** $1 user, $2 ids of friends, $3 the highest count. */
export const UNREAD_COUNTS_SQL = `
SELECT friend.id AS friend_id, unread.count
FROM unnest($2::bigint[]) AS friend(id)
LEFT JOIN private_reads r ON r.user_id = $1 AND r.friend_id = friend.id
CROSS JOIN LATERAL (
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM private_messages m
    WHERE m.receiver_id = $1 AND m.sender_id = friend.id AND NOT m.is_deleted
      AND m.id > coalesce(r.read_up_to, 0)
    LIMIT $3
  ) AS counted
) AS unread
WHERE unread.count > 0`;

/**
 * Sends and reads messages, and keeps users' read positions. Only the SQL of the projection writes rows of messages.
 */
@Injectable()
export class PrivateMessageRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly eventStore: EventStoreRepository,
    private readonly replica: ReadReplicaService,
    private readonly changes: RecentChangeRepository,
  ) {}

  /**
   * Sends a message between two friends. Locks their conversation until the commit: ids are assigned and committed in
   * order, so a reader never sees a later message before an earlier one.
   * @param event with placeholders for the message id and the time, which the SQL statement assigns.
   * @returns null if the two are not friends.
   */
  async send({ type, eventId, data }: PrivateMessageSent): Promise<SendOutcome | null> {
    const { senderId, receiverId, clientId, replyToId, messageType, content } = data;
    // Each message has a stream of its own, which this event opens.
    const row = await this.eventStore.open<RawSendOutcome>({
      statement: SEND_STATEMENT,
      projection: privateMessagesProjection.name,
      event: { type, eventId, data },
      parameters: [senderId, receiverId, clientId, replyToId, messageType, content],
    });
    if (!row) return null;
    return {
      id: Number(row.id),
      createdAt: row.occurred_at,
      alreadyStored: row.stored_id === null ? null : toStored(row),
      quoted: toQuoted(row),
    };
  }

  async findByClientId(senderId: number, clientId: string): Promise<StoredMessage | null> {
    const [row] = await this.dataSource.query<StoredColumns[]>(
      `SELECT id AS stored_id, receiver_id AS stored_receiver_id, created_at AS stored_at
       FROM private_messages WHERE sender_id = $1 AND client_id = $2`,
      [senderId, clientId],
    );
    return row ? toStored(row) : null;
  }

  /** Whether a reply may quote the message: it was sent between the two users and is not deleted. */
  async isQuotable(id: number, userId: number, friendId: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM private_messages WHERE id = $1 AND NOT is_deleted
         AND LEAST(sender_id, receiver_id) = LEAST($2::bigint, $3::bigint)
         AND GREATEST(sender_id, receiver_id) = GREATEST($2::bigint, $3::bigint)`,
      [id, userId, friendId],
    );
    return rows.length > 0;
  }

  /**
   * The latest `limit` messages between the two, oldest first. Reads the primary
   * (docs/decisions/0076-a-read-replica-serves-what-may-be-late.md).
   */
  async loadNewest(userId: number, friendId: number, limit: number): Promise<PrivateMessageRow[]> {
    const aboveAllIds = Number.MAX_SAFE_INTEGER;
    return readConversation(this.dataSource.manager, [userId, friendId, aboveAllIds, limit]);
  }

  /**
   * The latest `limit` messages between the two before a given message, oldest first. Reads PostgreSQL's read replica,
   * unless one of the two has just changed a message. The replica may still have the old version, and a client that
   * loads it after the frame of the change would keep showing it.
   */
  async loadOlder(
    userId: number,
    friendId: number,
    beforeId: number,
    limit: number,
  ): Promise<PrivateMessageRow[]> {
    const parameters = [userId, friendId, beforeId, limit];
    const mayReplicaBeOutdated = await this.changes.mayHaveChanged(userId, friendId);
    if (mayReplicaBeOutdated) return readConversation(this.dataSource.manager, parameters);
    return this.replica.read((connection) => readConversation(connection, parameters));
  }

  /**
   * Marks every message from the friend as read.
   * @returns whether any message was unread.
   */
  async markRead(userId: number, friendId: number): Promise<boolean> {
    // Returns a row if the read position was created or has moved.
    const rows = await this.dataSource.query<unknown[]>(
      `WITH latest AS (
         SELECT max(id) AS id FROM private_messages WHERE receiver_id = $1 AND sender_id = $2 AND NOT is_deleted
       ), marked AS (
         INSERT INTO private_reads (user_id, friend_id, read_up_to)
         SELECT $1, $2, id FROM latest WHERE id IS NOT NULL
         ON CONFLICT (user_id, friend_id) DO UPDATE SET read_up_to = excluded.read_up_to
         WHERE private_reads.read_up_to < excluded.read_up_to
         RETURNING 1
       ) SELECT * FROM marked`,
      [userId, friendId],
    );
    return rows.length > 0;
  }

  /** Unread messages by friend id, at most 100 for each; friends without any are omitted. */
  async countUnread(userId: number, friendIds: readonly number[]): Promise<Record<string, number>> {
    const rows = await this.dataSource.query<{ friend_id: string; count: number }[]>(UNREAD_COUNTS_SQL, [
      userId,
      friendIds,
      MAX_UNREAD_COUNT,
    ]);
    return Object.fromEntries(rows.map(({ friend_id: friendId, count }) => [friendId, count]));
  }
}

/** @returns the messages, oldest first. */
const readConversation = async (
  connection: ReadConnection,
  parameters: readonly number[],
): Promise<PrivateMessageRow[]> => {
  const rows = await connection.query<RawMessage[]>(CONVERSATION_SQL, [...parameters]);
  return rows.map(toMessage).reverse();
};

const toStored = (row: StoredColumns): StoredMessage => ({
  id: Number(row.stored_id),
  receiverId: Number(row.stored_receiver_id),
  createdAt: row.stored_at,
});

const toQuoted = (row: QuotedColumns): QuotedRow | null => {
  if (row.quoted_id === null) return null;
  return {
    id: Number(row.quoted_id),
    senderId: Number(row.quoted_sender_id),
    type: row.quoted_type,
    content: row.quoted_content,
  };
};

const toMessage = (row: RawMessage): PrivateMessageRow => ({
  id: Number(row.id),
  senderId: Number(row.sender_id),
  receiverId: Number(row.receiver_id),
  type: row.type,
  content: row.content,
  createdAt: row.created_at,
  isEdited: row.is_edited,
  isDeleted: row.is_deleted,
  reactions: row.reactions,
  quoted: toQuoted(row),
});
