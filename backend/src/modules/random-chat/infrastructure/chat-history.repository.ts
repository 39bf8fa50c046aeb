import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, Repository } from 'typeorm';
import { limits } from '@thaw/contract/limits';
import { ChatHistoryEntity } from './chat-history.entity';

@Injectable()
export class ChatHistoryRepository {
  constructor(@InjectRepository(ChatHistoryEntity) private readonly rows: Repository<ChatHistoryEntity>) {}

  /** The user's chats, newest first, at most 100. */
  async latest(userId: number): Promise<ChatHistoryEntity[]> {
    return this.rows.find({
      where: [{ user1Id: userId }, { user2Id: userId }],
      order: { id: 'DESC' },
      take: limits.chatHistoryMaxEntries,
    });
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
