import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { limits } from '@thaw/contract/limits';
import { closeCodes } from '@thaw/contract/close-codes';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { type InboundFrame, requireOwnId } from '../../../platform/realtime/inbound-frame.model';
import { UploadsService } from '../../uploads/application/uploads.service';
import { ConnectionResumeService } from '../application/connection-resume.service';
import { ChatLifecycleService } from '../application/chat-lifecycle.service';
import { buildMessageAck } from '../application/chat-frame.mapper';
import type { ExecuteResult, LiveChat } from '../application/live-chat.model';
import { LiveChatService } from '../application/live-chat.service';
import type { SendMessage } from '../domain/random-chat.commands';

/** Handles random-chat frames, and `authenticate`, the first frame of every socket. */
@WebSocketGateway({ path: '/ws' })
export class RandomChatGateway {
  /** Epoch ms of the last published typing frame, by connection. */
  private readonly lastTypingAtMs = new WeakMap<object, number>();

  constructor(
    private readonly connectionResume: ConnectionResumeService,
    private readonly chats: LiveChatService,
    private readonly lifecycle: ChatLifecycleService,
    private readonly presence: ChatPresenceService,
    private readonly limiter: RateLimiterService,
    private readonly uploads: UploadsService,
    private readonly events: ProcessEventsService,
  ) {}

  @SubscribeMessage('authenticate')
  async authenticate(_: WebSocket, frame: InboundFrame<'authenticate'>): Promise<void> {
    const { connection, data, userId } = frame;
    if (data.userId !== userId) {
      connection.close(closeCodes.userMismatch);
      return;
    }
    // Whether the page shows the chat. A client that does not send it counts as present in the chat.
    connection.showsChat = data.showsChat ?? true;
    try {
      await this.connectionResume.resume(connection, data.lastSeen, (state) => {
        // `answer` needs the ref by which the client recognises the reply.
        if (frame.ref === undefined) connection.sendFrame('authenticated', { userId, state });
        else frame.answer({ userId, state }, 'authenticated');
      });
    } catch (error) {
      // A rate-limited resume has not begun, so the socket stays open.
      const hasBegun = !(error instanceof DomainError && error.code === 'rate_limited');
      // A partly resumed socket would miss events. Clients reconnect after this code.
      if (hasBegun) connection.close(closeCodes.internalError);
      throw error;
    }
  }

  @SubscribeMessage('random_message')
  async sendMessage(_: WebSocket, frame: InboundFrame<'random_message'>): Promise<void> {
    const { data, userId } = frame;
    const chat = await this.chats.requireChat(frame.connection, data.sessionId);
    const { messageType, content } = data;
    const clientId = data.clientId ?? null;
    const command: SendMessage = {
      type: 'SendMessage',
      decidedAtMs: this.chats.estimateRedisTimeMs(),
      senderId: userId,
      content,
      messageType,
      replyToId: data.replyTo?.messageId ?? null,
      clientId,
    };
    if (messageType !== 'text') await this.grantImageAccess(chat, command);
    const result = await chat.execute(command, frame);
    if (result.kind === 'already_done') frame.answer(buildMessageAck(result.position, clientId));
    else if (isRemoval(result)) await this.lifecycle.completeRemoval(chat, result.events);
  }

  /**
   * Grants the receiver access to the images of a message before the message is stored. First `previewDecision` throws
   * if the message would be refused, because a refused message must not give the partner access.
   * @throws DomainError when the message would be refused.
   */
  private async grantImageAccess(chat: LiveChat, command: SendMessage): Promise<void> {
    const { senderId, messageType, content } = command;
    if ('alreadyDone' in chat.previewDecision(command)) return; // access was granted with the first message
    const receiverId = chat.userIds.find((id) => id !== senderId);
    if (receiverId !== undefined) await this.uploads.share({ senderId, receiverId, messageType, content });
  }

  @SubscribeMessage('message_edit')
  async editMessage(_: WebSocket, frame: InboundFrame<'message_edit'>): Promise<void> {
    const { data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat = await this.chats.requireChat(frame.connection, data.sessionId);
    const { messageId, newContent: content } = data;
    const result = await chat.execute(
      {
        type: 'EditMessage',
        decidedAtMs: this.chats.estimateRedisTimeMs(),
        editorId: userId,
        messageId,
        content,
      },
      frame,
    );
    if (result.kind === 'already_done') frame.answer({ seq: result.position.seq });
    else if (isRemoval(result)) await this.lifecycle.completeRemoval(chat, result.events);
  }

  @SubscribeMessage('message_reaction')
  async reactToMessage(_: WebSocket, frame: InboundFrame<'message_reaction'>): Promise<void> {
    const { data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat = await this.chats.requireChat(frame.connection, data.sessionId);
    const { messageId, emoji, action } = data;
    const result = await chat.execute(
      {
        type: 'ReactToMessage',
        decidedAtMs: this.chats.estimateRedisTimeMs(),
        userId,
        messageId,
        emoji,
        action,
      },
      frame,
    );
    if (result.kind !== 'already_done') return;
    frame.answer({ seq: result.position.seq, reactions: chat.getReactions(messageId) });
  }

  @SubscribeMessage('show_chat')
  async showChat(_: WebSocket, frame: InboundFrame<'show_chat'>): Promise<void> {
    const { sessionId, showsChat } = frame.data;
    await this.chats.requireChat(frame.connection, sessionId);
    await this.chats.setShowsChat(frame.connection, sessionId, showsChat);
  }

  @SubscribeMessage('skip_chat')
  async skipChat(_: WebSocket, frame: InboundFrame<'skip_chat'>): Promise<void> {
    await this.limiter.require('skip', frame.userId);
    await this.lifecycle.skip(frame.connection, frame.data.sessionId, frame);
  }

  @SubscribeMessage('typing')
  async notifyTyping(_: WebSocket, frame: InboundFrame<'typing'>): Promise<void> {
    const { connection, data, userId } = frame;
    // Random and private chats share the frame `typing`. Only a frame for a private chat names the receiver.
    if ('receiverId' in data)
      return this.events.deliver('TypedToFriend', { frame, receiverId: data.receiverId });
    const chat = await this.chats.requireChat(frame.connection, data.sessionId);
    if (chat.isEnded) throw new DomainError('session_ended');
    const now = Date.now();
    // The page shows typing for one interval, so publishing more often is wasted. The limit is half the interval,
    // because the timers of clients are not exact.
    if (now - (this.lastTypingAtMs.get(connection) ?? 0) < limits.typingIntervalMs / 2) return;
    this.lastTypingAtMs.set(connection, now);
    await this.presence.publish(chat.sessionId, `typing ${userId}`);
  }
}

/** Whether a message or an edit has ended the chat for safety (a removal): only then are two events appended. */
const isRemoval = (result: ExecuteResult): result is Extract<ExecuteResult, { kind: 'appended' }> =>
  result.kind === 'appended' && result.events.length > 1;
