import { Inject, UseFilters } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { limits } from '@thaw/contract/limits';
import { closeCodes } from '@thaw/contract/close-codes';
import { ENVIRONMENT, type Environment } from '../../../config/environment';
import { HotLog } from '../../../platform/hot-log/hot-log';
import { bucketOf } from '../../../platform/rate-limit/buckets';
import { RateLimiter } from '../../../platform/rate-limit/rate-limiter';
import type { InboundFrame } from '../../../platform/realtime/inbound-frame';
import { RethrowFilter } from '../../../platform/realtime/rethrow.filter';
import { Arrivals } from '../application/arrivals';
import { ChatKeeper } from '../application/chat-keeper';
import { sentAck } from '../application/chat-frames';
import { LiveChats } from '../application/live-chats';
import type { Pace } from '../domain/random-chat.commands';

/** Frames of a random chat, and the one that every socket begins with. */
@UseFilters(RethrowFilter)
@WebSocketGateway({ path: '/ws' })
export class RandomChatGateway {
  private readonly messagePace: Pace;
  private readonly typedAt = new WeakMap<object, number>();

  constructor(
    private readonly arrivals: Arrivals,
    private readonly chats: LiveChats,
    private readonly keeper: ChatKeeper,
    private readonly hotLog: HotLog,
    private readonly limiter: RateLimiter,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.messagePace = bucketOf('random_message', environment.LIMITS_PROFILE);
  }

  @SubscribeMessage('authenticate')
  async authenticate(_: WebSocket, frame: InboundFrame<'authenticate'>): Promise<void> {
    const { connection, data, userId } = frame;
    if (data.userId !== userId) {
      connection.close(closeCodes.foreignUser);
      return;
    }
    await this.arrivals.arrive(connection, data.lastSeen, (state) => {
      if (frame.ref === undefined) connection.sendFrame('authenticated', { userId, state });
      else frame.answer({ userId, state }, 'authenticated');
    });
  }

  @SubscribeMessage('random_message')
  async sendMessage(_: WebSocket, frame: InboundFrame<'random_message'>): Promise<void> {
    const { connection, data, userId } = frame;
    const chat = await this.chats.require(connection, data.sessionId);
    const clientId = data.clientId ?? null;
    const executed = await chat.execute(
      {
        type: 'SendMessage',
        at: Date.now(),
        pace: this.messagePace,
        senderId: userId,
        content: data.content,
        messageType: data.messageType,
        replyToId: data.replyTo?.messageId ?? null,
        clientId,
      },
      frame,
    );
    if (executed.kind === 'already_done') frame.answer(sentAck(executed.position, clientId));
  }

  @SubscribeMessage('skip_chat')
  async skip(_: WebSocket, frame: InboundFrame<'skip_chat'>): Promise<void> {
    await this.limiter.require('skip', frame.userId);
    await this.keeper.skip(frame.connection, frame.data.sessionId, frame);
  }

  @SubscribeMessage('typing')
  async typing(_: WebSocket, { connection, data, userId }: InboundFrame<'typing'>): Promise<void> {
    if (!('sessionId' in data)) return;
    const chat = await this.chats.require(connection, data.sessionId);
    const now = Date.now();
    // More often than it is shown it is worth nothing; half, since clients' timers are not exact.
    if (now - (this.typedAt.get(connection) ?? 0) < limits.typingEveryMs / 2) return;
    this.typedAt.set(connection, now);
    await this.hotLog.whisper(chat.sessionId, `t ${userId}`);
  }
}
