import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { PrivateChatService } from './private-chat.service';

/** Marks conversations as read, and notifies all tabs of the user. */
@Injectable()
export class ReadReceiptService {
  private readonly logger = new Logger(ReadReceiptService.name);

  constructor(
    private readonly chat: PrivateChatService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Marks every message from the friend as read. If a message was unread, publishes this to the user's sockets.
   * @throws DomainError not_friends
   */
  async markRead(userId: number, friendId: number): Promise<void> {
    const hadUnread = await this.chat.markRead(userId, friendId);
    if (!hadUnread) return;
    try {
      await this.userPublisher.sendFrame(userId, 'private_messages_read', { friendId });
    } catch (error) {
      logWarning(this.logger, 'A read receipt was not published; other pages poll', error);
    }
  }
}
