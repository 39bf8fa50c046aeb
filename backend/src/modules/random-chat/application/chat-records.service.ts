import { Injectable } from '@nestjs/common';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { MatchQueueService } from '../../matching/application/match-queue.service';

/** The records in Redis beside a chat's stream of events: which users are in the chat, and with which sockets. */
@Injectable()
export class ChatRecordsService {
  constructor(
    private readonly queue: MatchQueueService,
    private readonly presence: ChatPresenceService,
  ) {}

  /** Whether a user is in a chat, by the user's record in matching. */
  async isInChat(userId: number, sessionId: string): Promise<boolean> {
    const [record] = await this.queue.readRecords([userId]);
    return record?.state === 'chatting' && record.sessionId === sessionId;
  }

  /** Frees the users of an ended chat for other chats, and deletes the deadlines of users who were away. Idempotent. */
  async close(sessionId: string, userIds: readonly [number, number]): Promise<void> {
    await this.queue.finish({ sessionId, userIds });
    await this.presence.forget(sessionId, userIds);
  }
}
