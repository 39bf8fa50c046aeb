import { Injectable } from '@nestjs/common';
import type { MessageType } from '@thaw/contract/scalars';
import { DataSource, type EntityManager } from 'typeorm';
import { type PreparedStatement, runPrepared } from '../../../platform/database/prepared';
import { Friendships } from '../../friends/application/friendships';
import type { PrivateReaction } from '../domain/private-message.state';

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

export interface NewMessage {
  senderId: number;
  receiverId: number;
  clientId: string | null;
  replyToId: number | null;
}

/** What an earlier attempt of the same client has done. */
export interface EarlierMessage {
  id: number;
  receiverId: number;
  createdAt: Date;
}

export interface Opening {
  /** The number that the message gets, and its time: both later than those of every message between the two. */
  id: number;
  at: Date;
  earlier: EarlierMessage | null;
  /** The message that it answers, if that is one of theirs. */
  quoted: QuotedRow | null;
}

interface RawOpening {
  id: string;
  at: Date;
  earlier_id: string | null;
  earlier_receiver_id: string;
  earlier_at: Date;
  quoted_id: string | null;
  quoted_sender_id: string;
  quoted_type: MessageType;
  quoted_content: string;
}

interface RawMessage {
  id: string;
  sender_id: string;
  receiver_id: string;
  type: MessageType;
  content: string;
  created_at: Date;
  is_edited: boolean;
  is_deleted: boolean;
  reactions: PrivateReaction[];
  quoted_id: string | null;
  quoted_sender_id: string;
  quoted_type: MessageType;
  quoted_content: string;
}

const open: PreparedStatement = {
  name: 'open_private_message',
  text: `
SELECT nextval('private_message_ids') AS id, clock_timestamp() AS at,
       e.id AS earlier_id, e.receiver_id AS earlier_receiver_id, e.created_at AS earlier_at,
       q.id AS quoted_id, q.sender_id AS quoted_sender_id, q.type AS quoted_type, q.content AS quoted_content
FROM ${Friendships.held} AS held
LEFT JOIN private_messages e ON e.sender_id = $1 AND e.client_id = $3
LEFT JOIN private_messages q ON q.id = $4 AND NOT q.is_deleted
  AND LEAST(q.sender_id, q.receiver_id) = held.low_id AND GREATEST(q.sender_id, q.receiver_id) = held.high_id`,
};

const CONVERSATION = `
SELECT m.id, m.sender_id, m.receiver_id, m.type, m.content, m.created_at, m.is_edited, m.is_deleted, m.reactions,
       q.id AS quoted_id, q.sender_id AS quoted_sender_id, q.type AS quoted_type, q.content AS quoted_content
FROM private_messages m LEFT JOIN private_messages q ON q.id = m.reply_to_id
WHERE LEAST(m.sender_id, m.receiver_id) = LEAST($1::bigint, $2::bigint)
  AND GREATEST(m.sender_id, m.receiver_id) = GREATEST($1::bigint, $2::bigint)
  AND m.id < $3
ORDER BY m.id DESC LIMIT $4`;

/** The read model «private_messages», which the projection alone writes, and how far everybody has read. */
@Injectable()
export class PrivateMessageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Makes room for one more message between two friends, and holds their conversation until the transaction ends: ids
   * are given and committed one after the other, so that nobody ever sees a later one before an earlier one.
   * @returns null when they are not friends.
   */
  async open(
    { senderId, receiverId, clientId, replyToId }: NewMessage,
    manager: EntityManager,
  ): Promise<Opening | null> {
    const [row] = await runPrepared<RawOpening[]>(manager, open, [senderId, receiverId, clientId, replyToId]);
    if (!row) return null;
    return {
      id: Number(row.id),
      at: row.at,
      earlier: row.earlier_id === null ? null : toEarlier(row),
      quoted: toQuoted(row),
    };
  }

  async findByClientId(senderId: number, clientId: string): Promise<EarlierMessage | null> {
    const [row] = await this.dataSource.query<RawOpening[]>(
      `SELECT id AS earlier_id, receiver_id AS earlier_receiver_id, created_at AS earlier_at
       FROM private_messages WHERE sender_id = $1 AND client_id = $2`,
      [senderId, clientId],
    );
    return row ? toEarlier(row) : null;
  }

  /** What two have written to each other before a message, the latest `limit`, in order. */
  async conversation(
    userId: number,
    friendId: number,
    beforeId: number,
    limit: number,
  ): Promise<PrivateMessageRow[]> {
    const rows = await this.dataSource.query<RawMessage[]>(CONVERSATION, [userId, friendId, beforeId, limit]);
    return rows.map(toMessage).reverse();
  }

  /** The user has read everything that the friend has written. @returns whether there was something new. */
  async markRead(userId: number, friendId: number): Promise<boolean> {
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

  /** How many messages of each of these the user has not read; without those of whom there is none. */
  async unreadCounts(userId: number, friendIds: readonly number[]): Promise<Record<string, number>> {
    const rows = await this.dataSource.query<{ friend_id: string; count: number }[]>(
      `SELECT friend.id AS friend_id, unread.count
       FROM unnest($2::bigint[]) AS friend(id)
       LEFT JOIN private_reads r ON r.user_id = $1 AND r.friend_id = friend.id
       CROSS JOIN LATERAL (
         SELECT count(*)::int AS count FROM private_messages m
         WHERE m.receiver_id = $1 AND m.sender_id = friend.id AND NOT m.is_deleted
           AND m.id > coalesce(r.read_up_to, 0)
       ) AS unread
       WHERE unread.count > 0`,
      [userId, friendIds],
    );
    return Object.fromEntries(rows.map(({ friend_id: friendId, count }) => [friendId, count]));
  }
}

const toEarlier = (
  row: Pick<RawOpening, 'earlier_id' | 'earlier_receiver_id' | 'earlier_at'>,
): EarlierMessage => ({
  id: Number(row.earlier_id),
  receiverId: Number(row.earlier_receiver_id),
  createdAt: row.earlier_at,
});

const toQuoted = (
  row: Pick<RawMessage, 'quoted_id' | 'quoted_sender_id' | 'quoted_type' | 'quoted_content'>,
): QuotedRow | null =>
  row.quoted_id === null
    ? null
    : {
        id: Number(row.quoted_id),
        senderId: Number(row.quoted_sender_id),
        type: row.quoted_type,
        content: row.quoted_content,
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
