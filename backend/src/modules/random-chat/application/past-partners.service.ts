import { Injectable } from '@nestjs/common';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';

/** Who has met whom: Redis of chats that live or ended lately, or the history in PostgreSQL, whichever knows. */
@Injectable()
export class PastPartnersService {
  constructor(
    private readonly queue: MatchQueueService,
    private readonly history: ChatHistoryRepository,
  ) {}

  async haveChatted(userId: number, otherId: number): Promise<boolean> {
    return (await this.queue.areOrWerePartners(userId, otherId)) || this.history.haveChatted(userId, otherId);
  }

  /** Whether they are in a chat together or were a moment ago, or one of theirs began since then. */
  async haveChattedSince(userId: number, otherId: number, since: Date): Promise<boolean> {
    return (
      (await this.history.haveChatted(userId, otherId, since)) ||
      this.queue.areOrWerePartners(userId, otherId)
    );
  }

  /** Whether they are in a chat together at this moment. */
  async arePartners(userId: number, otherId: number): Promise<boolean> {
    const [partnerId] = await this.queue.partners([userId]);
    return partnerId === otherId;
  }
}
