import { Injectable } from '@nestjs/common';
import type { ClientData } from '@thaw/contract/client-frames';
import type { UserState } from '@thaw/contract/server-frames';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { MatchQueueService, type MatchState } from '../../matching/application/match-queue.service';
import { MatchmakingService } from '../../matching/application/matchmaking.service';
import { ChatMetricsRegistry } from './chat-metrics.registry';
import { ChatLifecycleService } from './chat-lifecycle.service';
import { type ChatSummary, isOpenChat } from './chat-summary.mapper';
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
   * @throws DomainError `rate_limited` when the user has resumed more pages of events than the rate limit allows,
   * before `reportState` is called; errors of Redis at any point.
   */
  async resume(connection: SocketConnection, lastSeen: LastSeen, reportState: ReportState): Promise<void> {
    const { userId } = connection.identity;
    // If the user is searching, this also continues the search for the new socket.
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
    await this.chats.withChat(sessionId, async (chat) => {
      // The user's record may still name a chat that is over. Closing the chat's records in Redis frees its users.
      if (await this.lifecycle.closeRecordsIfOver(userId, chat)) {
        await this.resumeOutsideChat(connection, { kind: 'idle' }, lastSeen, reportState, chat);
        return;
      }
      const seenSeq = lastSeen?.sessionId === sessionId ? lastSeen.seq : 0;
      await this.limitResumeRate(chat, userId, seenSeq);
      const pastChat = await this.findPastChat(userId, lastSeen, chat);
      this.admitSocket(connection, state, reportState);
      // Not counted as `ended`: the metric counts each connection once, and this one is counted below.
      if (pastChat && lastSeen) sendEnd(connection, pastChat, lastSeen.seq);
      // If Redis has lost events that the client has seen, the client receives the chat from the start.
      const outcome = seenSeq > chat.version ? 'reset' : 'resumed';
      const joinedChat = await this.chats.resume(connection, chat, seenSeq);
      if (joinedChat) {
        // A page that was opened or reloaded has no `lastSeen`, and is not counted: it has not reconnected.
        if (lastSeen) this.metrics.recordResume(outcome);
        return;
      }
      // The chat has ended in the meantime, so the user is idle, unless another chat has started.
      await this.joinLateStart(connection, { kind: 'idle' });
    });
  }

  /** Applies the rate limit, and counts a refusal. `LiveChatService.limitResumeRate` throws no other errors. */
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
    knownChat?: ChatSummary,
  ): Promise<void> {
    // A claim is a match whose chat is not confirmed yet. Clients see a chat only after its confirmation, so if this
    // client has seen the chat, Redis has lost the confirmation. The chat is no past chat: the socket joins it when it
    // is confirmed again.
    const willJoinSeenChat = state.kind === 'claimed' && state.sessionId === lastSeen?.sessionId;
    const pastChat = willJoinSeenChat
      ? null
      : await this.findPastChat(connection.identity.userId, lastSeen, knownChat);
    this.admitSocket(connection, state, reportState);
    if (pastChat && lastSeen) {
      sendEnd(connection, pastChat, lastSeen.seq);
      this.metrics.recordResume('ended');
    }
    sendSearch(connection, state);
    await this.joinLateStart(connection, state);
  }

  /** From now on, the socket receives the start of a chat, which goes to all authenticated sockets of the user. */
  private admitSocket(connection: SocketConnection, state: MatchState, reportState: ReportState): void {
    connection.isAuthenticated = true;
    reportState(toUserState(state));
  }

  /**
   * Finds the chat that the client saw last; null if this is the open chat that the user's record names. If any other
   * chat is still open, Redis has lost the record that the user is in it, and the chat is ended first.
   * @param knownChat the chat that the record names, open or over, which the caller has already read.
   */
  private async findPastChat(
    userId: number,
    lastSeen: LastSeen,
    knownChat?: ChatSummary,
  ): Promise<ChatSummary | null> {
    if (!lastSeen) return null;
    const { sessionId } = lastSeen;
    if (sessionId === knownChat?.sessionId) return isOpenChat(knownChat) ? null : knownChat;
    const pastChat = await this.chats.readSummary(sessionId);
    if (!isOpenChat(pastChat) || !pastChat.userIds.includes(userId)) return pastChat;
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
    // Redis has no events of the chat (they were lost, or were persisted and have expired), or only the end that was
    // recorded after their loss. In both cases the chat is over, and the client expects the next `seq`.
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
