import { Inject } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { limits } from '@thaw/contract/limits';
import { closeCodes } from '@thaw/contract/close-codes';
import { ENVIRONMENT, type Environment } from '../../../config/environment';
import { DomainError } from '../../../platform/errors/domain-error';
import { ChatPresence } from '../../../platform/hot-log/chat-presence';
import { ProcessEvents } from '../../../platform/process-events/process-events';
import { bucketOf } from '../../../platform/rate-limit/buckets';
import { RateLimiter } from '../../../platform/rate-limit/rate-limiter';
import { type InboundFrame, requireOwnId } from '../../../platform/realtime/inbound-frame';
import { UploadsService } from '../../uploads/application/uploads.service';
import { Arrivals } from '../application/arrivals';
import { ChatKeeper } from '../application/chat-keeper';
import { sentAck } from '../application/chat-frames';
import type { LiveChat } from '../application/live-chat';
import { LiveChats } from '../application/live-chats';
import type { Pace } from '../domain/random-chat.commands';

/** Frames of a random chat, and the one that every socket begins with. */
@WebSocketGateway({ path: '/ws' })
export class RandomChatGateway {
  private readonly pace: Record<'message' | 'edit' | 'reaction', Pace>;
  private readonly typedAt = new WeakMap<object, number>();

  constructor(
    private readonly arrivals: Arrivals,
    private readonly chats: LiveChats,
    private readonly keeper: ChatKeeper,
    private readonly presence: ChatPresence,
    private readonly limiter: RateLimiter,
    private readonly uploads: UploadsService,
    private readonly events: ProcessEvents,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    const profile = environment.LIMITS_PROFILE;
    this.pace = {
      message: bucketOf('random_message', profile),
      edit: bucketOf('edits', profile),
      reaction: bucketOf('reactions', profile),
    };
  }

  @SubscribeMessage('authenticate')
  async authenticate(_: WebSocket, frame: InboundFrame<'authenticate'>): Promise<void> {
    const { connection, data, userId } = frame;
    if (data.userId !== userId) {
      connection.close(closeCodes.foreignUser);
      return;
    }
    try {
      await this.arrivals.arrive(connection, data.lastSeen, (state) => {
        if (frame.ref === undefined) connection.sendFrame('authenticated', { userId, state });
        else frame.answer({ userId, state }, 'authenticated');
      });
    } catch (error) {
      // Half brought in it would miss what happens; a client whose socket is closed with this tries again.
      connection.close(closeCodes.internalError);
      throw error;
    }
  }

  @SubscribeMessage('random_message')
  async sendMessage(_: WebSocket, frame: InboundFrame<'random_message'>): Promise<void> {
    const { connection, data, userId } = frame;
    const chat =
      this.chats.attached(connection, data.sessionId) ??
      (await this.chats.require(connection, data.sessionId));
    const { messageType, content } = data;
    const clientId = data.clientId ?? null;
    if (messageType !== 'text') await this.shareImages(chat, frame);
    const executed = await chat.execute(
      {
        type: 'SendMessage',
        at: Date.now(),
        pace: this.pace.message,
        senderId: userId,
        content,
        messageType,
        replyToId: data.replyTo?.messageId ?? null,
        clientId,
      },
      frame,
    );
    if (executed.kind === 'already_done') frame.answer(sentAck(executed.position, clientId));
  }

  /** The right to see an image is written before the message that shows it. */
  private async shareImages(
    chat: LiveChat,
    { userId: senderId, data: { messageType, content } }: InboundFrame<'random_message'>,
  ): Promise<void> {
    const receiverId = chat.userIds.find((id) => id !== senderId);
    if (receiverId !== undefined) await this.uploads.share({ senderId, receiverId, messageType, content });
  }

  @SubscribeMessage('message_edit')
  async edit(_: WebSocket, frame: InboundFrame<'message_edit'>): Promise<void> {
    const { connection, data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat =
      this.chats.attached(connection, data.sessionId) ??
      (await this.chats.require(connection, data.sessionId));
    const { messageId, newContent: content } = data;
    const executed = await chat.execute(
      { type: 'EditMessage', at: Date.now(), pace: this.pace.edit, editorId: userId, messageId, content },
      frame,
    );
    if (executed.kind === 'already_done') frame.answer({ seq: executed.position.seq });
  }

  @SubscribeMessage('message_reaction')
  async react(_: WebSocket, frame: InboundFrame<'message_reaction'>): Promise<void> {
    const { connection, data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat =
      this.chats.attached(connection, data.sessionId) ??
      (await this.chats.require(connection, data.sessionId));
    const { messageId, emoji, action } = data;
    const executed = await chat.execute(
      { type: 'ReactToMessage', at: Date.now(), pace: this.pace.reaction, userId, messageId, emoji, action },
      frame,
    );
    if (executed.kind !== 'already_done') return;
    frame.answer({ seq: executed.position.seq, reactions: chat.reactionsOf(messageId) });
  }

  @SubscribeMessage('skip_chat')
  async skip(_: WebSocket, frame: InboundFrame<'skip_chat'>): Promise<void> {
    await this.limiter.require('skip', frame.userId);
    await this.keeper.skip(frame.connection, frame.data.sessionId, frame);
  }

  @SubscribeMessage('typing')
  async typing(_: WebSocket, frame: InboundFrame<'typing'>): Promise<void> {
    const { connection, data, userId } = frame;
    if ('receiverId' in data)
      return this.events.deliver('TypedToFriend', { frame, receiverId: data.receiverId });
    const chat =
      this.chats.attached(connection, data.sessionId) ??
      (await this.chats.require(connection, data.sessionId));
    if (chat.isEnded) throw new DomainError('session_ended');
    const now = Date.now();
    // More often than it is shown it is worth nothing; half, since clients' timers are not exact.
    if (now - (this.typedAt.get(connection) ?? 0) < limits.typingEveryMs / 2) return;
    this.typedAt.set(connection, now);
    await this.presence.publish(chat.sessionId, `t ${userId}`);
  }
}
