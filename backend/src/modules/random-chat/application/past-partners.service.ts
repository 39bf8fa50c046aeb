import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MatchQueueService } from '../../matching/application/match-queue.service';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';

/** Reads which users have been in a chat together: live and recent chats from Redis, older ones from PostgreSQL. */
@Injectable()
export class PastPartnersService {
  constructor(
    private readonly queue: MatchQueueService,
    private readonly history: ChatHistoryRepository,
  ) {}

  async haveChatted(userId: number, otherId: number): Promise<boolean> {
    return (
      (await this.queue.areOrRecentlyWerePartners(userId, otherId)) ||
      this.history.haveChatted(userId, otherId)
    );
  }

  /**
   * Whether the two may send each other friend requests. They may if they have started a chat after `since`, are in one
   * now, or were in one a few minutes ago, and if none of these chats was ended for safety (because one of the two
   * stated that they are under 18).
   */
  async mayBecomeFriends(
    userId: number,
    otherId: number,
    since: Date,
    manager: EntityManager,
  ): Promise<boolean> {
    if (await this.queue.wasChatEndedForSafety(userId, otherId)) return false;
    if (await this.history.wasChatEndedForSafety(userId, otherId, since, manager)) return false;
    return (
      (await this.history.haveChatted(userId, otherId, since, manager)) ||
      this.queue.areOrRecentlyWerePartners(userId, otherId)
    );
  }

  /** Whether the two are in a chat together now. */
  async areInChatNow(userId: number, otherId: number): Promise<boolean> {
    const [partnerId] = await this.queue.readPartners([userId]);
    return partnerId === otherId;
  }
}
