import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { PrivateChatService } from './private-chat.service';

/** Half the display interval: clients' timers drift, and publishing faster than the page refreshes is wasted. */
const PUBLISH_EVERY_MS = limits.typingIntervalMs / 2;
/** How long a friendship check is cached. A removed friend may see typing for that long. */
const FRIENDS_CACHED_FOR_MS = 10_000;

interface Typing {
  receiverId: number;
  /** Epoch ms. */
  publishedAt: number;
  /** Epoch ms until which the friendship is not checked again. */
  friendsCachedUntil: number;
}

/** Typing indicators between friends. Nothing is stored. */
@Injectable()
export class PrivateTypingService {
  /** The last typing frame of each socket. */
  private readonly typing = new WeakMap<object, Typing>();

  constructor(
    private readonly chat: PrivateChatService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /** @throws DomainError not_friends */
  @OnProcessEvent('TypedToFriend')
  async publishTyping({ frame, receiverId }: ProcessEventMap['TypedToFriend']): Promise<void> {
    const { connection, userId } = frame;
    const now = Date.now();
    const previous = this.typing.get(connection);
    if (previous && now - previous.publishedAt < PUBLISH_EVERY_MS) return;
    let friendsCachedUntil = previous?.receiverId === receiverId ? previous.friendsCachedUntil : 0;
    if (friendsCachedUntil <= now) {
      // Recorded before the check, so that refused senders do not query more often than friends.
      this.typing.set(connection, { receiverId, publishedAt: now, friendsCachedUntil: 0 });
      await this.chat.requireFriends(userId, receiverId);
      friendsCachedUntil = now + FRIENDS_CACHED_FOR_MS;
    }
    this.typing.set(connection, { receiverId, publishedAt: now, friendsCachedUntil });
    await this.userPublisher.sendFrame(receiverId, 'typing', { senderId: userId, userId });
  }
}
