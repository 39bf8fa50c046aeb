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
type ReportState = (state: UserState) => void;

/**
 * Handles a socket that authenticates: reports the user's state to it, and resumes the user's chat or search on it. The
 * user's record in Redis says whether they are searching or in a chat. `lastSeen` is the client's last chat, and the
 * `seq` of the last event that the client has seen of it.
 */
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
   * @param reportState sends the user's state to the client; called once, before the socket gets any other frame.
   * @throws DomainError `rate_limited` when the user has resumed too many pages of long chats, before `reportState` is
   * called; errors of Redis at any point.
   */
  async resume(connection: SocketConnection, lastSeen: LastSeen, reportState: ReportState): Promise<void> {
    const { userId } = connection.identity;
    const state = await this.matchmaking.resume(userId);
    if (state.kind === 'chatting') await this.resumeInChat(connection, state, lastSeen, reportState);
    else await this.resumeOutsideChat(connection, state, lastSeen, reportState);
  }

  private async resumeInChat(
    connection: SocketConnection,
    state: Extract<MatchState, { kind: 'chatting' }>,
    lastSeen: LastSeen,
    reportState: ReportState,
  ): Promise<void> {
    const { userId } = connection.identity;
    const { sessionId } = state;
    await this.chats.use(sessionId, async (chat) => {
      if (await this.lifecycle.closeRecordsIfOver(userId, chat)) {
        await this.resumeOutsideChat(connection, { kind: 'idle' }, lastSeen, reportState, chat);
        return;
      }
      const seenSeq = lastSeen?.sessionId === sessionId ? lastSeen.seq : 0;
      await this.limitResumeRate(chat, userId, seenSeq);
      const pastChat = await this.findPastChat(userId, lastSeen, chat);
      this.admitSocket(connection, state, reportState);
      if (pastChat && lastSeen) sendEnd(connection, pastChat, lastSeen.seq);
      // If the client has seen more events than are left, it receives the chat from the start.
      const outcome = seenSeq > chat.version ? 'reset' : 'resumed';
      if (await this.chats.resume(connection, chat, seenSeq)) {
        if (lastSeen) this.metrics.recordResume(outcome); // without it, the page was reloaded
        return;
      }
      // The chat has ended in the meantime, so the user is idle, unless another chat has started.
      await this.joinLateStart(connection, { kind: 'idle' });
    });
  }

  /** Like the method of `LiveChatService`, but also counts a refusal. */
  private async limitResumeRate(chat: LiveChat, userId: number, seenSeq: number): Promise<void> {
    try {
      await this.chats.limitResumeRate(chat, userId, seenSeq);
    } catch (error) {
      this.metrics.recordResume('refused');
      throw error;
    }
  }

  private async resumeOutsideChat(
    connection: SocketConnection,
    state: MatchState,
    lastSeen: LastSeen,
    reportState: ReportState,
    chatOnRecord?: ChatSummary,
  ): Promise<void> {
    // A claim is a match whose chat is not confirmed yet. If the client has seen this chat, the chat has started, and
    // the socket joins it as soon as the claim is confirmed. Then the chat is not a past one.
    const willJoinSeenChat = state.kind === 'claimed' && state.sessionId === lastSeen?.sessionId;
    const pastChat = willJoinSeenChat
      ? null
      : await this.findPastChat(connection.identity.userId, lastSeen, chatOnRecord);
    this.admitSocket(connection, state, reportState);
    if (pastChat && lastSeen) sendEnd(connection, pastChat, lastSeen.seq);
    if (pastChat) this.metrics.recordResume('ended');
    sendSearch(connection, state);
    await this.joinLateStart(connection, state);
  }

  /** From now on, the socket receives the start of a chat, which goes to all authenticated sockets of the user. */
  private admitSocket(connection: SocketConnection, state: MatchState, reportState: ReportState): void {
    connection.isAuthenticated = true;
    reportState(toUserState(state));
  }

  /**
   * Finds the chat that the client saw last, unless this is the user's open chat. If the found chat is still open,
   * Redis has lost the record that the user is in it, and the chat is ended first.
   * @param chatOnRecord the chat on the user's record, open or over.
   */
  private async findPastChat(
    userId: number,
    lastSeen: LastSeen,
    chatOnRecord?: ChatSummary,
  ): Promise<ChatSummary | null> {
    if (!lastSeen) return null;
    const { sessionId } = lastSeen;
    if (sessionId === chatOnRecord?.sessionId)
      return chatOnRecord.isEnded || chatOnRecord.version === 0 ? chatOnRecord : null;
    const pastChat = await this.chats.readSummary(sessionId);
    const isOpen = pastChat.version > 0 && !pastChat.isEnded;
    if (!isOpen || !pastChat.userIds.includes(userId)) return pastChat;
    await this.chats.endAfterLostRecord(sessionId);
    return this.chats.readSummary(sessionId);
  }

  /** Handles a chat or a search that started (in another tab) after the user's state was read. */
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
    // Redis no longer has the chat, because it expired after it was persisted, or was lost. Of a lost chat, Redis may
    // have only the end. In both cases the chat is over, and the client expects the next `seq`.
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

/** Sends the criteria and the start of the user's search, if there is one. */
const sendSearch = (connection: SocketConnection, state: MatchState): void => {
  if (state.kind !== 'searching') return;
  const preferences = state.criteria.preference;
  connection.sendFrame('queue_joined', { preferences, since: state.since.toISOString() });
};

/** A user with a match whose chat has not started yet is still searching, as clients see it. */
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
