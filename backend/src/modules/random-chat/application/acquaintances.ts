import { Injectable } from '@nestjs/common';
import { MatchingService } from '../../matching/application/matching.service';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';

/** Who has met whom: the live chat in Redis or the history in PostgreSQL, whichever knows. */
@Injectable()
export class Acquaintances {
  constructor(
    private readonly matching: MatchingService,
    private readonly history: ChatHistoryRepository,
  ) {}

  async haveMet(userId: number, otherId: number): Promise<boolean> {
    const [partnerId] = await this.matching.partners([userId]);
    return partnerId === otherId || this.history.haveMet(userId, otherId);
  }
}
