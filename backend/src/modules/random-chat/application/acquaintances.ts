import { Injectable } from '@nestjs/common';
import { MatchingService } from '../../matching/application/matching.service';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';

/** Who has met whom: Redis of chats that live or ended lately, or the history in PostgreSQL, whichever knows. */
@Injectable()
export class Acquaintances {
  constructor(
    private readonly matching: MatchingService,
    private readonly history: ChatHistoryRepository,
  ) {}

  async haveMet(userId: number, otherId: number): Promise<boolean> {
    return (await this.matching.areOrWerePartners(userId, otherId)) || this.history.haveMet(userId, otherId);
  }

  /** Whether they are in a chat together or were a moment ago, or one of theirs began since then. */
  async haveMetSince(userId: number, otherId: number, since: Date): Promise<boolean> {
    return (
      (await this.history.haveMet(userId, otherId, since)) || this.matching.areOrWerePartners(userId, otherId)
    );
  }

  /** Whether they are in a chat together at this moment. */
  async arePartners(userId: number, otherId: number): Promise<boolean> {
    const [partnerId] = await this.matching.partners([userId]);
    return partnerId === otherId;
  }
}
