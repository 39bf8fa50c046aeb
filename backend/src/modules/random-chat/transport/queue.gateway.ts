import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { limits } from '@thaw/contract/limits';
import { DomainError } from '../../../platform/errors/domain.errors';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import type { InboundFrame } from '../../../platform/realtime/inbound-frame.model';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { MatchmakingService } from '../../matching/application/matchmaking.service';
import type { MatchState } from '../../matching/application/match-queue.service';
import { maySearch, choosePool } from '../../matching/application/search-criteria.functions';
import { UsersService } from '../../users/application/users.service';
import { ChatLifecycleService } from '../application/chat-lifecycle.service';
import { LiveChatService } from '../application/live-chat.service';

/** Handles the frames for joining and leaving the queue. */
@WebSocketGateway({ path: '/ws' })
export class QueueGateway {
  constructor(
    private readonly matchmaking: MatchmakingService,
    private readonly users: UsersService,
    private readonly userPublisher: UserPublisherService,
    private readonly limiter: RateLimiterService,
    private readonly lifecycle: ChatLifecycleService,
    private readonly chats: LiveChatService,
    private readonly valve: MemoryValveService,
  ) {}

  @SubscribeMessage('join_queue')
  async join(_: WebSocket, frame: InboundFrame<'join_queue'>): Promise<void> {
    const { userId, connection } = frame;
    await this.limiter.require('join_queue', userId);
    this.valve.requireOpen();
    const searcher = await this.users.findSearcher(userId);
    if (!searcher?.gender) throw new DomainError('gender_required');
    const { gender, standing } = searcher;
    if (!maySearch(standing)) throw new DomainError('suspended');
    const { preferences: preference } = frame.data;
    const criteria = { gender, preference, pool: choosePool(standing) };
    // `join` calls this before a chat can start, so that the answer precedes the frames of the chat.
    const reportState = async (state: MatchState): Promise<void> => {
      if (state.kind === 'chatting') return;
      frame.answer({});
      const since = state.kind === 'searching' ? state.since : new Date(); // otherwise matched without waiting
      const queueJoined = { preferences: preference, since: since.toISOString() };
      await this.userPublisher.sendFrame(userId, 'queue_joined', queueJoined, connection.id);
    };
    let state = await this.matchmaking.join(userId, criteria, reportState);
    // The record that the user is in a chat may be left over from a chat that has ended: close it and try again.
    if (
      state.kind === 'chatting' &&
      (await this.lifecycle.readAndCloseRecordsIfOver(userId, state.sessionId))
    ) {
      state = await this.matchmaking.join(userId, criteria, reportState);
    }
    if (state.kind !== 'chatting') return;
    // The user is in a chat, so this socket joins it instead of the queue.
    await this.chats.join(connection, state.sessionId);
    throw new DomainError('already_in_session');
  }

  @SubscribeMessage('leave_queue')
  async leave(_: WebSocket, frame: InboundFrame<'leave_queue'>): Promise<void> {
    const { userId, connection } = frame;
    const previous = await this.matchmaking.leave(userId);
    // The user cancelled the search before the client had received the match. This counts as a skip
    // (docs/product-decisions.md, A43).
    if (previous.kind === 'chatting' && previous.msSinceMatch <= limits.leaveAsSkipWindowMs) {
      await this.lifecycle.skip(connection, previous.sessionId);
    }
    frame.answer({});
    // The other tabs of a user in a chat show the chat, so they must not receive `queue_left`.
    if (previous.kind !== 'chatting')
      await this.userPublisher.sendFrame(userId, 'queue_left', {}, connection.id);
  }
}
