import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorators';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map';
import { UserChannels } from '../../../platform/realtime/user-channels';
import { PrivateChatService } from './private-chat.service';

/** Somebody types to a friend. Nothing of it is stored. */
@Injectable()
export class PrivateTyping {
  private readonly typedAt = new WeakMap<object, number>();

  constructor(
    private readonly chat: PrivateChatService,
    private readonly userChannels: UserChannels,
  ) {}

  /** @throws DomainError not_friends */
  @OnProcessEvent('TypedToFriend')
  async type({ frame, receiverId }: ProcessEventMap['TypedToFriend']): Promise<void> {
    const { connection, userId } = frame;
    const now = Date.now();
    // More often than it is shown it is worth nothing; half, since clients' timers are not exact.
    if (now - (this.typedAt.get(connection) ?? 0) < limits.typingEveryMs / 2) return;
    this.typedAt.set(connection, now);
    await this.chat.requireFriends(userId, receiverId);
    await this.userChannels.sendFrame(receiverId, 'typing', { senderId: userId, userId });
  }
}
