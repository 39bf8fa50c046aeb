import { Inject } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { ENVIRONMENT, type Environment } from '../../../config/environment';
import { bucketOf } from '../../../platform/rate-limit/buckets';
import { type InboundFrame, requireOwnId } from '../../../platform/realtime/inbound-frame';
import { LiveChats } from '../application/live-chats';
import type { Pace } from '../domain/random-chat.commands';

/** Frames of Break the Ice. */
@WebSocketGateway({ path: '/ws' })
export class IcebreakerGateway {
  private readonly pace: Pace;

  constructor(
    private readonly chats: LiveChats,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.pace = bucketOf('break_ice_start', environment.LIMITS_PROFILE);
  }

  @SubscribeMessage('break_ice_start')
  async start(_: WebSocket, frame: InboundFrame<'break_ice_start'>): Promise<void> {
    const { connection, data, userId } = frame;
    requireOwnId(data.initiatorId, frame);
    const chat =
      this.chats.attached(connection, data.sessionId) ??
      (await this.chats.require(connection, data.sessionId));
    const { gameId, question } = data;
    const executed = await chat.execute(
      {
        type: 'StartGame',
        at: Date.now(),
        pace: this.pace,
        initiatorId: userId,
        gameId,
        questionId: question.id,
      },
      frame,
    );
    if (executed.kind !== 'already_done') return;
    frame.answer({ seq: executed.position.seq, question: chat.questionOf(gameId) });
  }

  @SubscribeMessage('break_ice_response')
  async answer(_: WebSocket, frame: InboundFrame<'break_ice_response'>): Promise<void> {
    const { connection, data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat =
      this.chats.attached(connection, data.sessionId) ??
      (await this.chats.require(connection, data.sessionId));
    const { gameId, response } = data;
    await chat.execute({ type: 'AnswerGame', userId, gameId, response }, frame);
  }

  @SubscribeMessage('break_ice_ignore')
  async ignore(_: WebSocket, frame: InboundFrame<'break_ice_ignore'>): Promise<void> {
    const { connection, data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat =
      this.chats.attached(connection, data.sessionId) ??
      (await this.chats.require(connection, data.sessionId));
    await chat.execute({ type: 'IgnoreGame', userId, gameId: data.gameId }, frame);
  }
}
