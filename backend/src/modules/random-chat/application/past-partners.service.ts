import { Injectable } from '@nestjs/common';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';

/** Which users have been in a chat together: from Redis for live and recent chats, from PostgreSQL for older ones. */
@Injectable()
export class PastPartnersService {
  constructor(
    private readonly queue: MatchQueueService,
    private readonly history: ChatHistoryRepository,
  ) {}

  async haveChatted(userId: number, otherId: number): Promise<boolean> {
    return (await this.queue.areOrWerePartners(userId, otherId)) || this.history.haveChatted(userId, otherId);
  }

  /** Whether the two have started a chat after `since`, are in one now, or were in one a few minutes ago. */
  async haveChattedSince(userId: number, otherId: number, since: Date): Promise<boolean> {
    return (
      (await this.history.haveChatted(userId, otherId, since)) ||
      this.queue.areOrWerePartners(userId, otherId)
    );
  }

  /** Whether the two are in a chat together now. */
  async arePartners(userId: number, otherId: number): Promise<boolean> {
    const [partnerId] = await this.queue.readPartners([userId]);
    return partnerId === otherId;
  }
}
