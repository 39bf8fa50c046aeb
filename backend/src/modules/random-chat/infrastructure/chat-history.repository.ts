import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThanOrEqual, Repository } from 'typeorm';
import { limits } from '@thaw/contract/limits';
import { ReadReplicaService } from '../../../platform/database/read-replica.service';
import { ChatHistoryEntity } from './chat-history.entity';

/**
 * Condition on a row of `chat_history`: the chat was ended for safety, because a user stated an age under 18. Its
 * `ChatEnded` event then has a `finding`. Only `BodiesExpired` (the contents of the messages have expired) can follow
 * that event, so the index scan from the end of the stream reads one or two rows.
 */
const WAS_ENDED_FOR_SAFETY = `(
  SELECT events.data ? 'finding' FROM events
  WHERE events.stream_id = chat_history.stream_id AND events.type = 'ChatEnded'
  ORDER BY stream_position DESC LIMIT 1)`;

/**
 * $1: the user's id. $2: the maximum number of rows. Each branch reads at most $2 rows, from an index; one SELECT with
 * OR would read and sort every chat of the user.
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

/** Reads the chats in PostgreSQL. Workers add them with a delay; until then they are only in Redis. */
@Injectable()
export class ChatHistoryRepository {
  constructor(
    @InjectRepository(ChatHistoryEntity) private readonly chats: Repository<ChatHistoryEntity>,
    private readonly replica: ReadReplicaService,
  ) {}

  /**
   * The user's chats, newest first, at most `limits.chatHistoryMaxEntries`. Read from the read replica of PostgreSQL,
   * whose delay does not matter, since the chats arrive with a delay anyway.
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
    return this.chats.findOneBy({ id });
  }

  findByStream(streamId: string): Promise<ChatHistoryEntity | null> {
    return this.chats.findOneBy({ streamId });
  }

  /** The time of the last event of each chat, except `BodiesExpired`. By stream id. */
  async findLastEventTimes(streamIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.chats.query<{ stream_id: string; occurred_at: Date }[]>(
      `SELECT requested.stream_id, last_event.occurred_at FROM unnest($1::text[]) AS requested(stream_id)
       CROSS JOIN LATERAL (
         SELECT occurred_at FROM events
         WHERE events.stream_id = requested.stream_id AND events.type <> 'BodiesExpired'
         ORDER BY stream_position DESC LIMIT 1
       ) AS last_event`,
      [streamIds],
    );
    return new Map(rows.map((row) => [row.stream_id, row.occurred_at]));
  }

  /** Whether a chat of the two users that ended at `since` or later was ended for safety. */
  async wasChatEndedForSafety(
    userId: number,
    otherId: number,
    since: Date,
    manager: EntityManager,
  ): Promise<boolean> {
    const rows = await manager.query<unknown[]>(
      `SELECT 1 FROM chat_history
       WHERE ((user1_id = $1 AND user2_id = $2) OR (user1_id = $2 AND user2_id = $1))
         AND ended_at >= $3 AND ${WAS_ENDED_FOR_SAFETY} LIMIT 1`,
      [userId, otherId, since],
    );
    return rows.length > 0;
  }

  /** Returns the ids of those streams whose chat was ended for safety. */
  async findStreamsEndedForSafety(streamIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (streamIds.length === 0) return new Set();
    const rows = await this.chats.query<{ stream_id: string }[]>(
      `SELECT stream_id FROM chat_history
       WHERE stream_id = ANY($1) AND ended_at IS NOT NULL AND ${WAS_ENDED_FOR_SAFETY}`,
      [streamIds],
    );
    return new Set(rows.map((row) => row.stream_id));
  }

  /** Whether PostgreSQL has a chat of the two users that started at `since` or later; by default, at any time. */
  async haveChatted(
    userId: number,
    otherId: number,
    since = new Date(0),
    manager = this.chats.manager,
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
