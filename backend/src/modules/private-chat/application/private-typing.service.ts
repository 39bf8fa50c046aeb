import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { PrivateChatService } from './private-chat.service';

/**
 * Minimum interval between two published typing frames of a socket. Half the interval at which clients repeat the
 * frame, because their timers drift.
 */
const PUBLISH_EVERY_MS = limits.typingIntervalMs / 2;
/** How long a friendship check is cached, and thus how long typing may be shown after a friendship has ended. */
const FRIENDS_CACHED_FOR_MS = 10_000;

/** The last typing frame of a socket that was published or refused. */
interface HandledTyping {
  receiverId: number;
  /** Epoch ms. */
  handledAt: number;
  /** Epoch ms until which the friendship is not checked again; 0 if the last check has not succeeded. */
  friendsCachedUntil: number;
}

/** Typing indicators between friends. Nothing is stored. */
@Injectable()
export class PrivateTypingService {
  private readonly lastTypingBySocket = new WeakMap<object, HandledTyping>();

  constructor(
    private readonly chat: PrivateChatService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Publishes a typing frame to the friend. Ignores further frames of the socket for `PUBLISH_EVERY_MS`.
   * @throws DomainError not_friends. The frames that follow within `PUBLISH_EVERY_MS` are ignored, too.
   */
  @OnProcessEvent('TypedToFriend')
  async publishTyping({ frame, receiverId }: ProcessEventMap['TypedToFriend']): Promise<void> {
    const { connection, userId } = frame;
    const now = Date.now();
    const previous = this.lastTypingBySocket.get(connection);
    if (previous && now - previous.handledAt < PUBLISH_EVERY_MS) return;
    if (previous?.receiverId === receiverId && now < previous.friendsCachedUntil) {
      this.lastTypingBySocket.set(connection, { ...previous, handledAt: now });
    } else {
      const typing: HandledTyping = { receiverId, handledAt: now, friendsCachedUntil: 0 };
      // Recorded before the check, so that a refused sender does not cause a query for every frame.
      this.lastTypingBySocket.set(connection, typing);
      await this.chat.requireFriends(userId, receiverId);
      this.lastTypingBySocket.set(connection, { ...typing, friendsCachedUntil: now + FRIENDS_CACHED_FOR_MS });
    }
    // Both are the sender's id: `senderId` identifies the private chat, `userId` the user who types.
    await this.userPublisher.sendFrame(receiverId, 'typing', { senderId: userId, userId });
  }
}
