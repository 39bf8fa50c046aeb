import { Injectable } from '@nestjs/common';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { MatchQueueService } from '../../matching/application/match-queue.service';

/** The records beside a chat's stream: that its users are in it, and which of their sockets. */
@Injectable()
export class ChatRecordsService {
  constructor(
    private readonly queue: MatchQueueService,
    private readonly presence: ChatPresenceService,
  ) {}

  /** The chat has ended: its users are free, and it waits for none of them. Closing twice is closing once. */
  async close(sessionId: string, userIds: readonly [number, number]): Promise<void> {
    await this.queue.finish({ sessionId, userIds });
    await this.presence.forget(sessionId, userIds);
  }
}
