import { Injectable } from '@nestjs/common';
import type { ClientData } from '@thaw/contract/client-frames';
import type { UserState } from '@thaw/contract/server-frames';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { MatchQueueService, type MatchState } from '../../matching/application/match-queue.service';
import { MatchmakingService } from '../../matching/application/matchmaking.service';
import { ChatMetricsRegistry } from './chat-metrics.registry';
import { ChatLifecycleService } from './chat-lifecycle.service';
import type { ChatSummary } from './chat-summary.mapper';
import type { LiveChat } from './live-chat.model';
import { LiveChatService } from './live-chat.service';

type LastSeen = ClientData<'authenticate'>['lastSeen'];
type Answer = (state: UserState) => void;

/** Answers a socket that authenticates with its user's state, and resumes the user's chat or search on it. */
@Injectable()
export class ConnectionResumeService {
  constructor(
    private readonly matchmaking: MatchmakingService,
    private readonly queue: MatchQueueService,
    private readonly chats: LiveChatService,
    private readonly lifecycle: ChatLifecycleService,
    private readonly metrics: ChatMetricsRegistry,
  ) {}

  /**
   * @param answer receives the user's state, once, before any other frame is sent to the socket.
   * @throws DomainError rate_limited when the user resumed too many pages of a long chat; `answer` was not called.
   */
  async resume(connection: SocketConnection, lastSeen: LastSeen, answer: Answer): Promise<void> {
    const { userId } = connection.identity;
    const state = await this.matchmaking.resume(userId);
    if (state.kind === 'chatting') await this.resumeInChat(connection, state, lastSeen, answer);
    else await this.resumeOutsideChat(connection, state, lastSeen, answer);
  }

  private async resumeInChat(
    connection: SocketConnection,
    state: Extract<MatchState, { kind: 'chatting' }>,
    lastSeen: LastSeen,
    answer: Answer,
  ): Promise<void> {
    const { userId } = connection.identity;
    const { sessionId } = state;
    await this.chats.use(sessionId, async (chat) => {
      if (await this.lifecycle.closeRecordsIfOver(userId, chat)) {
        await this.resumeOutsideChat(connection, { kind: 'idle' }, lastSeen, answer, chat);
        return;
      }
      const seenSeq = lastSeen?.sessionId === sessionId ? lastSeen.seq : 0;
      await this.requireResumeRate(chat, userId, seenSeq);
      const past = await this.findPastChat(userId, lastSeen, chat);
      this.admitSocket(connection, state, answer);
      if (past && lastSeen) sendEnd(connection, past, lastSeen.seq);
      const outcome = seenSeq > chat.version ? 'reset' : 'resumed';
      if (await this.chats.resume(connection, chat, seenSeq)) {
        if (lastSeen) this.metrics.recordResume(outcome);
        return;
      }
      // The chat has ended in the meantime, and another one may have started.
      await this.joinLateStart(connection, { kind: 'idle' });
    });
  }

  private async requireResumeRate(chat: LiveChat, userId: number, seenSeq: number): Promise<void> {
    try {
      await this.chats.requireResumeRate(chat, userId, seenSeq);
    } catch (error) {
      this.metrics.recordResume('refused');
      throw error;
    }
  }

  private async resumeOutsideChat(
    connection: SocketConnection,
    state: MatchState,
    lastSeen: LastSeen,
    answer: Answer,
    chatOnRecord?: ChatSummary,
  ): Promise<void> {
    // A claim is a match not yet confirmed. The client has seen its chat, so the chat has started, and the socket joins
    // it as soon as the claim is confirmed.
    const isClaimed = state.kind === 'claimed' && state.sessionId === lastSeen?.sessionId;
    const past = isClaimed
      ? null
      : await this.findPastChat(connection.identity.userId, lastSeen, chatOnRecord);
    this.admitSocket(connection, state, answer);
    if (past && lastSeen) sendEnd(connection, past, lastSeen.seq);
    if (past) this.metrics.recordResume('ended');
    sendSearch(connection, state);
    await this.joinLateStart(connection, state);
  }

  /** After this, the socket receives the start of a chat through the user's channel. */
  private admitSocket(connection: SocketConnection, state: MatchState, answer: Answer): void {
    connection.isAuthenticated = true;
    answer(toUserState(state));
  }

  /**
   * Finds the chat that the client saw last, if it is not the user's current chat. If it is still open, Redis has lost
   * the record that the user is in it: ends it first.
   * @param current the chat on the user's record, open or over.
   */
  private async findPastChat(
    userId: number,
    lastSeen: LastSeen,
    current?: ChatSummary,
  ): Promise<ChatSummary | null> {
    if (!lastSeen) return null;
    const { sessionId } = lastSeen;
    if (sessionId === current?.sessionId) return current.isEnded || current.version === 0 ? current : null;
    const past = await this.chats.readSummary(sessionId);
    const isOpen = past.version > 0 && !past.isEnded;
    if (!isOpen || !past.userIds.includes(userId)) return past;
    await this.chats.endUnrecorded(sessionId);
    return this.chats.readSummary(sessionId);
  }

  /** Handles a chat or a search (in another tab) that started between the read of the state and the admission. */
  private async joinLateStart(connection: SocketConnection, { kind }: MatchState): Promise<void> {
    const { userId } = connection.identity;
    const [record] = await this.queue.readRecords([userId]);
    if (record?.state === 'chatting' && record.sessionId) await this.chats.join(connection, record.sessionId);
    else if (record?.state === 'searching' && kind === 'idle')
      sendSearch(connection, await this.matchmaking.resume(userId));
  }
}

/** Sends the end of a past chat to a client that has not seen it. */
const sendEnd = (connection: SocketConnection, chat: ChatSummary, seenSeq: number): void => {
  const { sessionId, endFrame } = chat;
  if (chat.version === 0 || (endFrame && chat.userIds.length === 0)) {
    // Redis no longer has the chat: it expired after it was persisted, or was lost. In both cases the chat is over.
    connection.sendFrame('chat_skipped', {
      sessionId,
      seq: seenSeq + 1,
      reason: 'disconnected',
      endedBy: null,
    });
  } else if (endFrame && endFrame.data.seq > seenSeq && chat.userIds.includes(connection.identity.userId)) {
    connection.sendFrame(endFrame.event, endFrame.data);
  }
};

const sendSearch = (connection: SocketConnection, state: MatchState): void => {
  if (state.kind !== 'searching') return;
  const preferences = state.criteria.preference;
  connection.sendFrame('queue_joined', { preferences, since: state.since.toISOString() });
};

const toUserState = ({ kind }: MatchState): UserState => {
  switch (kind) {
    case 'idle':
      return 'idle';
    case 'searching':
    case 'matched':
    case 'claimed':
      return 'searching';
    case 'chatting':
      return 'chatting';
  }
};
