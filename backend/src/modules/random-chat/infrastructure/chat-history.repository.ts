import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThanOrEqual, Repository } from 'typeorm';
import { limits } from '@thaw/contract/limits';
import { ReadReplicaService } from '../../../platform/database/read-replica.service';
import { ChatHistoryEntity } from './chat-history.entity';

/** Whether the last event of a chat in `chat_history` is an end with a finding. */
const WAS_REMOVED = `(
  SELECT events.data ? 'finding' FROM events WHERE events.stream_id = chat_history.stream_id
  ORDER BY stream_position DESC LIMIT 1)`;

/**
 * $1 user, $2 number of rows. Each branch reads that many rows of an index; with OR, PostgreSQL would read and sort
 * every chat of the user.
 */
export const LATEST_CHATS_SQL = `
SELECT id, stream_id, user1_id, user2_id, created_at, ended_at FROM (
  (SELECT * FROM chat_history WHERE user1_id = $1 ORDER BY id DESC LIMIT $2)
  UNION ALL
  (SELECT * FROM chat_history WHERE user2_id = $1 ORDER BY id DESC LIMIT $2)
) AS chats ORDER BY id DESC LIMIT $2`;

interface ChatRow {
  id: string;
  stream_id: string;
  user1_id: string;
  user2_id: string;
  created_at: Date;
  ended_at: Date | null;
}

@Injectable()
export class ChatHistoryRepository {
  constructor(
    @InjectRepository(ChatHistoryEntity) private readonly rows: Repository<ChatHistoryEntity>,
    private readonly replica: ReadReplicaService,
  ) {}

  /**
   * The user's chats, newest first, at most 100. A PostgreSQL replica will do: workers add chats with a delay anyway.
   */
  async findLatest(userId: number): Promise<ChatHistoryEntity[]> {
    const rows = await this.replica.read((connection) =>
      connection.query<ChatRow[]>(LATEST_CHATS_SQL, [userId, limits.chatHistoryMaxEntries]),
    );
    return rows.map((row) => ({
      id: Number(row.id),
      streamId: row.stream_id,
      user1Id: Number(row.user1_id),
      user2Id: Number(row.user2_id),
      createdAt: row.created_at,
      endedAt: row.ended_at,
    }));
  }

  findById(id: number): Promise<ChatHistoryEntity | null> {
    return this.rows.findOneBy({ id });
  }

  findByStream(streamId: string): Promise<ChatHistoryEntity | null> {
    return this.rows.findOneBy({ streamId });
  }

  /** When the last event of each stream was appended, by stream id. */
  async findLastEventTimes(streamIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.rows.query<{ stream_id: string; at: Date }[]>(
      `SELECT requested.stream_id, last.occurred_at AS at FROM unnest($1::text[]) AS requested(stream_id)
       CROSS JOIN LATERAL (
         SELECT occurred_at FROM events WHERE events.stream_id = requested.stream_id
         ORDER BY stream_position DESC LIMIT 1
       ) AS last`,
      [streamIds],
    );
    return new Map(rows.map((row) => [row.stream_id, row.at]));
  }

  /** Whether a chat of the two was ended for safety since `since`. */
  async wereRemoved(userId: number, otherId: number, since: Date, manager: EntityManager): Promise<boolean> {
    const rows = await manager.query<unknown[]>(
      `SELECT 1 FROM chat_history
       WHERE ended_at >= $3 AND (user1_id = $1 AND user2_id = $2 OR user1_id = $2 AND user2_id = $1)
         AND ${WAS_REMOVED} LIMIT 1`,
      [userId, otherId, since],
    );
    return rows.length > 0;
  }

  /** Which of these chats were ended for safety, by stream id. */
  async findRemoved(streamIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (streamIds.length === 0) return new Set();
    const rows = await this.rows.query<{ stream_id: string }[]>(
      `SELECT stream_id FROM chat_history WHERE stream_id = ANY($1) AND ended_at IS NOT NULL AND ${WAS_REMOVED}`,
      [streamIds],
    );
    return new Set(rows.map((row) => row.stream_id));
  }

  /** Whether the two have been in a chat together since `since`, as far as PostgreSQL knows. */
  async haveChatted(
    userId: number,
    otherId: number,
    since = new Date(0),
    manager = this.rows.manager,
  ): Promise<boolean> {
    const createdAt = MoreThanOrEqual(since);
    return manager.exists(ChatHistoryEntity, {
      where: [
        { user1Id: userId, user2Id: otherId, createdAt },
        { user1Id: otherId, user2Id: userId, createdAt },
      ],
    });
  }
}
