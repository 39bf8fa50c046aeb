import { Injectable } from '@nestjs/common';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { MatchQueueService } from '../../matching/application/match-queue.service';

/** What Redis stores about a chat outside its stream of events: its users and their sockets. */
@Injectable()
export class ChatRecordsService {
  constructor(
    private readonly queue: MatchQueueService,
    private readonly presence: ChatPresenceService,
  ) {}

  /** Whether a user is in a chat, according to the user's record in the match queue. */
  async isInChat(userId: number, sessionId: string): Promise<boolean> {
    const [record] = await this.queue.readRecords([userId]);
    return record?.state === 'chatting' && record.sessionId === sessionId;
  }

  /**
   * Frees the users of an ended chat for other chats, and deletes their presence, with the deadlines by which absent
   * users had to return. Idempotent.
   */
  async close(sessionId: string, userIds: readonly [number, number]): Promise<void> {
    await this.queue.finish({ sessionId, userIds });
    await this.presence.forget(sessionId, userIds);
  }
}
