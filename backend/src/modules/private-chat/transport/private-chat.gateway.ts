import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { type InboundFrame, requireOwnId } from '../../../platform/realtime/inbound-frame.model';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { PrivateChatService } from '../application/private-chat.service';

/**
 * Handles the frames of private chats. A change is committed before it is acknowledged. The client may give a frame a
 * `ref`, an id that it repeats when it retries the frame. A frame without a `ref` is not answered.
 */
@WebSocketGateway({ path: '/ws' })
export class PrivateChatGateway {
  private readonly logger = new Logger(PrivateChatGateway.name);

  constructor(
    private readonly chat: PrivateChatService,
    private readonly userPublisher: UserPublisherService,
    private readonly limiter: RateLimiterService,
  ) {}

  @SubscribeMessage('send_private_message')
  async sendMessage(_: WebSocket, frame: InboundFrame<'send_private_message'>): Promise<void> {
    const { data, userId: senderId } = frame;
    requireOwnId(data.senderId, frame);
    // Prefetches the token of the next message, so that only the first message of a socket waits for Redis.
    await this.limiter.requireWithPrefetch(frame.connection, 'send_private_message', senderId);
    const { receiverId, content, messageType, clientId } = data;
    const replyToId = data.replyTo?.id ?? null;
    const sent = await this.chat.send({
      senderId,
      receiverId,
      content,
      messageType,
      replyToId,
      clientId: clientId ?? null,
    });
    frame.answer({ id: sent.id, createdAt: sent.createdAt.toISOString(), clientId });
    // `message` is null in a retry, if an earlier attempt has already sent the message.
    if (sent.message) await this.publish(frame, receiverId, 'private_message', { ...sent.message, clientId });
  }

  @SubscribeMessage('edit_private_message')
  async editMessage(_: WebSocket, frame: InboundFrame<'edit_private_message'>): Promise<void> {
    const { data, userId } = frame;
    const { messageId, newContent, receiverId: friendId } = data;
    requireOwnId(data.senderId, frame);
    await this.limiter.require('edits', userId);
    const { message, isChanged } = await this.chat.change({
      type: 'EditPrivateMessage',
      messageId,
      userId,
      friendId,
      content: newContent,
    });
    frame.answer({});
    if (!isChanged) return;
    // The receiver of the message is the friend, because only its sender may edit it.
    const { senderId, receiverId, content } = message;
    const edited = { messageId, newContent: content, senderId, receiverId };
    await this.publish(frame, friendId, 'private_message_edited', edited);
  }

  @SubscribeMessage('react_private_message')
  async reactToMessage(_: WebSocket, frame: InboundFrame<'react_private_message'>): Promise<void> {
    const { data, userId } = frame;
    const { messageId, emoji, receiverId: friendId } = data;
    requireOwnId(data.userId, frame);
    await this.limiter.require('reactions', userId);
    const { message } = await this.chat.change({
      type: 'ReactToPrivateMessage',
      messageId,
      userId,
      friendId,
      emoji,
      // A reaction is a toggle, so a retry would undo it. The fingerprint of the `ref` shows that it is a retry.
      refFingerprint: frame.ref === undefined ? null : createFingerprint(frame.ref),
    });
    const reactions = [...message.reactions];
    frame.answer({ reactions });
    // Published even if this is a retry. The frame contains all reactions, so a repetition is harmless.
    // The sender of the message may be the friend.
    const { senderId, receiverId } = message;
    const reaction = { messageId, emoji, userId, senderId, receiverId, reactions };
    await this.publish(frame, friendId, 'private_message_reaction', reaction);
  }

  @SubscribeMessage('delete_private_message')
  async deleteMessage(_: WebSocket, frame: InboundFrame<'delete_private_message'>): Promise<void> {
    const { data, userId } = frame;
    const { messageId, receiverId: friendId } = data;
    requireOwnId(data.senderId, frame);
    await this.limiter.require('edits', userId);
    const { isChanged } = await this.chat.change({
      type: 'DeletePrivateMessage',
      messageId,
      userId,
      friendId,
    });
    frame.answer({});
    if (!isChanged) return;
    await this.publish(frame, friendId, 'private_message_deleted', {
      messageId,
      senderId: userId,
      receiverId: friendId,
    });
  }

  /**
   * Publishes to all sockets of both users, except to the socket that receives the answer to the frame. A failure is
   * only logged: the change is stored, and a client that misses the publication reads the change later.
   */
  private async publish<E extends ServerEvent>(
    { connection, ref, userId }: InboundFrame,
    friendId: number,
    event: E,
    data: ServerData<E>,
  ): Promise<void> {
    const isAnswered = ref !== undefined;
    const excludedSocketId = isAnswered ? connection.id : undefined;
    try {
      await Promise.all([
        this.userPublisher.sendFrame(friendId, event, data),
        this.userPublisher.sendFrame(userId, event, data, excludedSocketId),
      ]);
    } catch (error) {
      logWarning(this.logger, `${event} was not pushed`, error);
    }
  }
}

/** The 16 characters (96 bits) are enough to recognise a retry, and no text of the client is stored. */
const createFingerprint = (ref: string): string =>
  createHash('sha256').update(ref).digest('base64url').slice(0, 16);
