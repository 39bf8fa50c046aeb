import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { type InboundFrame, requireOwnId } from '../../../platform/realtime/inbound-frame.model';
import { LiveChatService } from '../application/live-chat.service';

/**
 * Handles the frames of the game Break the Ice. `execute` acknowledges a command with the event that it appends. A
 * repeated command appends none: `start` and `ignore` then acknowledge the frame. A repeated `break_ice_response` is
 * acknowledged by the socket adapter, without data.
 */
@WebSocketGateway({ path: '/ws' })
export class IcebreakerGateway {
  constructor(private readonly chats: LiveChatService) {}

  @SubscribeMessage('break_ice_start')
  async start(_: WebSocket, frame: InboundFrame<'break_ice_start'>): Promise<void> {
    const { data, userId } = frame;
    requireOwnId(data.initiatorId, frame);
    const chat = await this.chats.requireChat(frame.connection, data.sessionId);
    const { gameId, question } = data;
    const result = await chat.execute(
      {
        type: 'StartGame',
        decidedAtMs: this.chats.estimateRedisTimeMs(), // starts of games are rate-limited
        initiatorId: userId,
        gameId,
        questionId: question.id,
      },
      frame,
    );
    if (result.kind !== 'already_done') return;
    frame.answer({ seq: result.position.seq, question: chat.findQuestion(gameId) });
  }

  @SubscribeMessage('break_ice_response')
  async respond(_: WebSocket, frame: InboundFrame<'break_ice_response'>): Promise<void> {
    const { data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat = await this.chats.requireChat(frame.connection, data.sessionId);
    const { gameId, response } = data;
    await chat.execute({ type: 'AnswerGame', userId, gameId, response }, frame);
  }

  @SubscribeMessage('break_ice_ignore')
  async ignore(_: WebSocket, frame: InboundFrame<'break_ice_ignore'>): Promise<void> {
    const { data, userId } = frame;
    requireOwnId(data.userId, frame);
    const chat = await this.chats.requireChat(frame.connection, data.sessionId);
    const result = await chat.execute({ type: 'IgnoreGame', userId, gameId: data.gameId }, frame);
    if (result.kind === 'already_done') frame.answer({ seq: result.position.seq });
  }
}
