import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, Repository } from 'typeorm';
import { limits } from '@thaw/contract/limits';
import { ChatHistoryRow } from './chat-history.entity';

@Injectable()
export class ChatHistoryRepository {
  constructor(@InjectRepository(ChatHistoryRow) private readonly rows: Repository<ChatHistoryRow>) {}

  /** The user's pairings, newest first, at most 100. */
  async latest(userId: number): Promise<ChatHistoryRow[]> {
    return this.rows.find({
      where: [{ user1Id: userId }, { user2Id: userId }],
      order: { id: 'DESC' },
      take: limits.chatHistoryMaxEntries,
    });
  }

  /** Whether the two have been in a chat together since then, as far as the durable log knows. */
  async haveMet(userId: number, otherId: number, since = new Date(0)): Promise<boolean> {
    const createdAt = MoreThanOrEqual(since);
    return this.rows.exists({
      where: [
        { user1Id: userId, user2Id: otherId, createdAt },
        { user1Id: otherId, user2Id: userId, createdAt },
      ],
    });
  }
}
