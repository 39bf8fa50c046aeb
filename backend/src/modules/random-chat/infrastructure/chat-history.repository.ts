import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, Repository } from 'typeorm';
import { limits } from '@thaw/contract/limits';
import { ChatHistoryEntity } from './chat-history.entity';

@Injectable()
export class ChatHistoryRepository {
  constructor(@InjectRepository(ChatHistoryEntity) private readonly rows: Repository<ChatHistoryEntity>) {}

  /** The user's chats, newest first, at most 100. */
  async findLatest(userId: number): Promise<ChatHistoryEntity[]> {
    return this.rows.find({
      where: [{ user1Id: userId }, { user2Id: userId }],
      order: { id: 'DESC' },
      take: limits.chatHistoryMaxEntries,
    });
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
      `SELECT given.stream_id, last.occurred_at AS at FROM unnest($1::text[]) AS given(stream_id)
       CROSS JOIN LATERAL (
         SELECT occurred_at FROM events WHERE events.stream_id = given.stream_id
         ORDER BY stream_position DESC LIMIT 1
       ) AS last`,
      [streamIds],
    );
    return new Map(rows.map((row) => [row.stream_id, row.at]));
  }

  /** Whether the two have been in a chat together since `since`, as far as PostgreSQL knows. */
  async haveChatted(userId: number, otherId: number, since = new Date(0)): Promise<boolean> {
    const createdAt = MoreThanOrEqual(since);
    return this.rows.exists({
      where: [
        { user1Id: userId, user2Id: otherId, createdAt },
        { user1Id: otherId, user2Id: userId, createdAt },
      ],
    });
  }
}
