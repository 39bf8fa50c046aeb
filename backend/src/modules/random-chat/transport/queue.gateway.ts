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
import {
  choosePool,
  maySearch,
  type SearchCriteria,
} from '../../matching/application/search-criteria.functions';
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
    const criteria = await this.requireCriteria(frame);
    const joinQueue = (): Promise<MatchState> =>
      this.matchmaking.join(userId, criteria, (result) => this.confirmJoin(frame, result));
    let state = await joinQueue();
    if (state.kind === 'chatting') {
      // The user's record may still name a chat that is over.
      const isOver = await this.lifecycle.readAndCloseRecordsIfOver(userId, state.sessionId);
      if (isOver) state = await joinQueue();
    }
    if (state.kind !== 'chatting') return;
    // The user is in a chat, so this socket joins it instead of the queue.
    await this.chats.join(connection, state.sessionId);
    throw new DomainError('already_in_session');
  }

  /** @throws DomainError gender_required, suspended */
  private async requireCriteria({ userId, data }: InboundFrame<'join_queue'>): Promise<SearchCriteria> {
    const searcher = await this.users.findSearcher(userId);
    if (!searcher?.gender) throw new DomainError('gender_required');
    const { gender, standing } = searcher;
    if (!maySearch(standing)) throw new DomainError('suspended');
    return { gender, preference: data.preferences, pool: choosePool(standing) };
  }

  /**
   * Answers `join_queue`, and informs the user's other sockets. Called before the chat of a match starts, so that these
   * frames precede those of the chat.
   */
  private async confirmJoin(frame: InboundFrame<'join_queue'>, state: MatchState): Promise<void> {
    const { userId, connection, data } = frame;
    if (state.kind === 'chatting') return; // the user has not joined the queue
    frame.answer({});
    // The other states, such as `matched`, have no start of the search.
    const since = state.kind === 'searching' ? state.since : new Date();
    const queueJoined = { preferences: data.preferences, since: since.toISOString() };
    await this.userPublisher.sendFrame(userId, 'queue_joined', queueJoined, connection.id);
  }

  @SubscribeMessage('leave_queue')
  async leave(_: WebSocket, frame: InboundFrame<'leave_queue'>): Promise<void> {
    const { userId, connection } = frame;
    const previous = await this.matchmaking.leave(userId);
    if (previous.kind === 'chatting') {
      // So soon after the match, the user has cancelled the search before the client received the match. This counts as
      // a skip (docs/product-decisions.md, A43).
      if (previous.msSinceMatch <= limits.leaveAsSkipWindowMs)
        await this.lifecycle.skip(connection, previous.sessionId);
      frame.answer({});
      // No `queue_left`, because the user's other tabs show the chat.
      return;
    }
    frame.answer({});
    await this.userPublisher.sendFrame(userId, 'queue_left', {}, connection.id);
  }
}
