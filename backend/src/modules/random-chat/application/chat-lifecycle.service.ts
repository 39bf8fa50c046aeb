import { Inject, Injectable, Logger } from '@nestjs/common';
import { closeCodes } from '@thaw/contract/close-codes';
import { isExcluded } from '@thaw/contract/safety';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ChatPresenceService, type Deadline } from '../../../platform/hot-log/chat-presence.service';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import type { InboundFrame } from '../../../platform/realtime/inbound-frame.model';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { BlockListService } from '../../blocks/application/block-list.service';
import { mayMeet } from '../../matching/application/search-criteria.functions';
import { MatchmakingService } from '../../matching/application/matchmaking.service';
import { type Match, MatchQueueService } from '../../matching/application/match-queue.service';
import { UsersService } from '../../users/application/users.service';
import type { LoggedEvent } from './chat-event.codec';
import { type ChatSummary, isOpenChat } from './chat-summary.mapper';
import { ChatRecordsService } from './chat-records.service';
import type { LiveChat } from './live-chat.model';
import { LiveChatService } from './live-chat.service';

/** Maximum number of abandoned chats that are ended at the same time. */
const ENDING_CONCURRENCY = 16;
/** A chat that could not be ended is retried after this delay, behind the others. */
const POSTPONE_BY_MS = 5_000;

/**
 * Starts and ends chats, and sweeps chats whose users or replicas disappeared. Besides its stream of events, a chat has
 * records in Redis: which users are in it, with which sockets, and the deadlines by which absent users must return.
 * Closing the records frees the users for another chat.
 */
@Injectable()
export class ChatLifecycleService {
  private readonly logger = new Logger(ChatLifecycleService.name);
  /** Sessions with an overdue deadline that are being ended. */
  private readonly endingSessionIds = new Set<string>();

  constructor(
    private readonly queue: MatchQueueService,
    private readonly matchmaking: MatchmakingService,
    private readonly chats: LiveChatService,
    private readonly presence: ChatPresenceService,
    private readonly records: ChatRecordsService,
    private readonly users: UsersService,
    private readonly userPublisher: UserPublisherService,
    private readonly registry: SocketRegistry,
    private readonly blockList: BlockListService,
    private readonly processEvents: ProcessEventsService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Starts the chat of a match: first its stream, then the records, then the publication to both users. Refuses the
   * match if one user has blocked the other, or if their standings (what moderation allows them) no longer permit it: a
   * user may be suspended, or flagged while the other is not (flagged users only meet one another). Users who may still
   * search return to their old place in the queue.
   */
  @OnProcessEvent('MatchMade')
  async start(match: Match): Promise<void> {
    const [[first, second], hasBlock] = await Promise.all([
      this.readParticipants(match),
      this.blockList.isBlockedEitherWay(...match.userIds),
    ]);
    // Otherwise the next attempt could match the two again.
    if (hasBlock) await this.queue.separate(...match.userIds);
    if (hasBlock || !mayMeet(first.standing, second.standing)) {
      // Ends the search of a user who may no longer search, or moves it to the pool of their standing.
      for (const { profile, standing } of [first, second])
        await this.matchmaking.applyStanding({ userId: profile.id, standing });
      await this.releaseAndRetry(match);
      return;
    }
    // The deadlines are set before the chat exists: if this process dies, `sweepAbandonedChats` ends the chat.
    await this.presence.setDeadlines(match.sessionId, match.userIds, this.environment.GRACE_AFTER_LOSS_MS);
    const chat = this.chats.create(match.sessionId);
    await chat.execute({ type: 'StartChat', participants: [first.profile, second.profile] });
    await this.confirmAndPublish(match, chat);
  }

  /**
   * Settles a claim (a match whose chat is not confirmed yet) that expired because its replica died or was slow:
   * announces the chat if it was started, and releases both users otherwise.
   */
  @OnProcessEvent('ClaimExpired')
  async settleExpiredClaim(match: Match): Promise<void> {
    const chat = await this.chats.read(match.sessionId);
    if (chat.version > 0) await this.confirmAndPublish(match, chat);
    else await this.releaseAndRetry(match);
  }

  /** Frees the users of a chat that has ended or does not exist, in case freeing them failed before. */
  @OnProcessEvent('ChatCheckDue')
  async freeUsersIfChatIsOver({ sessionId, userIds }: Match): Promise<void> {
    const chat = await this.chats.readSummary(sessionId);
    if (!isOpenChat(chat)) await this.records.close(sessionId, userIds);
  }

  /** Joins the user's sockets on this replica to the chat. */
  @OnProcessEvent('ChatStarted')
  async joinSockets({ userId, sessionId }: ProcessEventMap['ChatStarted']): Promise<void> {
    // A copy, because sockets may be opened and closed while others join.
    for (const connection of [...this.registry.iterateAuthenticatedSockets(userId)]) {
      try {
        await this.chats.join(connection, sessionId);
      } catch (error) {
        logWarning(this.logger, 'A socket did not join its chat', error);
        connection.close(closeCodes.internalError); // the client reconnects and resumes
      }
    }
  }

  /**
   * Ends a chat for a user who skips. Idempotent.
   * @param frame the client's frame, which is answered with an ack.
   * @throws DomainError `not_in_session`
   */
  async skip(connection: SocketConnection, sessionId: string, frame?: InboundFrame): Promise<void> {
    const { userId } = connection.identity;
    const chat = await this.chats.findServedOrRead(connection, sessionId);
    if (!chat.hasParticipant(userId)) throw new DomainError('not_in_session');
    const result = await chat.execute({ type: 'SkipChat', userId }, frame);
    // `execute` acks only a frame that causes an event.
    if (result.kind === 'already_done') frame?.answer({ seq: result.position.seq });
    await this.closeRecords(chat);
  }

  /**
   * Completes a removal: after a message or an edit, the server has ended the chat for safety, and the end contains a
   * finding (a user stated that they are under 18). Before the users are freed, `AgeStated` reports the finding to
   * moderation. If this fails, the worker reports it later.
   */
  async completeRemoval(chat: LiveChat, events: readonly LoggedEvent[]): Promise<void> {
    for (const { eventId, event } of events) {
      if (event.type !== 'ChatEnded') continue;
      const { sessionId, userIds } = chat;
      const { finding } = event.data;
      if (finding) {
        const { userId, messageId } = finding;
        // The defaults are only for the compiler: a chat with a finding has two users.
        const [first = userId, second = userId] = userIds;
        // The mark keeps the two from becoming friends.
        await this.queue
          .markEndedForSafety(first, second)
          .catch((error: unknown) => logWarning(this.logger, 'A removed chat was not marked', error));
        await this.processEvents
          .deliver('AgeStated', { sessionId, userIds, userId, messageId, endEventId: eventId })
          .catch((error: unknown) => logWarning(this.logger, 'A finding was left to the worker', error));
      }
      await this.closeRecords(chat);
    }
  }

  /** Keeps two users from being matched after one has blocked the other. Their chat ends as if the blocker skipped. */
  @OnProcessEvent('UserBlocked')
  async endChatOfBlock({ blockerId, blockedId }: ProcessEventMap['UserBlocked']): Promise<void> {
    const sessionId = await this.queue.separate(blockerId, blockedId);
    // Null: the two are in no chat.
    if (sessionId === null) return;
    const chat = await this.chats.read(sessionId);
    if (chat.hasParticipant(blockerId)) await chat.execute({ type: 'SkipChat', userId: blockerId });
    // `closeRecords` does nothing for a chat that does not exist, but these two users must be freed then, too.
    await this.records.close(sessionId, [blockerId, blockedId]);
  }

  /** Ends the search or the chat of a user who was suspended or banned. The partner sees a lost connection. */
  @OnProcessEvent('StandingChanged')
  async endChatOfExcludedUser({ userId, standing }: ProcessEventMap['StandingChanged']): Promise<void> {
    if (!isExcluded(standing)) return;
    const previous = await this.matchmaking.leave(userId);
    if (previous.kind !== 'chatting') return;
    const chat = await this.chats.read(previous.sessionId);
    if (chat.hasParticipant(userId)) await chat.execute({ type: 'EndAbandonedChat', userId });
    await this.closeRecords(chat);
  }

  /**
   * Reads the chat that is named in a user's record, and closes its records if it is over.
   * @returns whether the chat is over.
   */
  async readAndCloseRecordsIfOver(userId: number, sessionId: string): Promise<boolean> {
    return this.closeRecordsIfOver(userId, await this.chats.readSummary(sessionId));
  }

  /**
   * Closes the records of a chat if it has ended or does not exist.
   * @returns whether the chat is over.
   */
  async closeRecordsIfOver(userId: number, chat: ChatSummary): Promise<boolean> {
    if (isOpenChat(chat)) return false;
    // A chat that does not exist has no participants. Then only this user is freed.
    const [first = userId, second = userId] = chat.userIds;
    await this.records.close(chat.sessionId, [first, second]);
    return true;
  }

  /** Frees the users of an ended chat. Does nothing for a chat that does not exist and so has no participants. */
  private async closeRecords(chat: LiveChat): Promise<void> {
    const [first, second] = chat.userIds;
    if (first === undefined || second === undefined) return;
    await this.records.close(chat.sessionId, [first, second]);
  }

  private async confirmAndPublish(match: Match, chat: LiveChat): Promise<void> {
    const userIdsWhoLeft = await this.queue.confirm(match);
    // Null means that the match is refused: one user has blocked the other, or the claim was released.
    if (userIdsWhoLeft === null) {
      await chat.execute({ type: 'AbortChat' });
      await this.presence.forget(match.sessionId, match.userIds);
      // Does nothing if the claim was already released. After a block, it is still held.
      await this.releaseAndRetry(match);
      return;
    }
    const { sessionId } = match;
    await Promise.all(
      match.userIds.map((userId) => this.userPublisher.publish(userId, { kind: 'chat_started', sessionId })),
    );
    // A user who left the queue after the match was made has skipped the chat (docs/product-decisions.md, A43).
    for (const userId of userIdsWhoLeft) await chat.execute({ type: 'SkipChat', userId });
    if (userIdsWhoLeft.length > 0) await this.closeRecords(chat);
  }

  private async releaseAndRetry(match: Match): Promise<void> {
    for (const userId of await this.queue.release(match)) await this.matchmaking.retryNow(userId);
  }

  private async readParticipants({ userIds }: Match) {
    const found = await this.users.findProfilesWithStanding(userIds);
    const [first, second] = userIds.map((userId) => found.find(({ profile }) => profile.id === userId));
    if (!first || !second) throw new Error('A matched user has no profile');
    return [first, second] as const;
  }

  /**
   * Evicts the sockets of dead replicas and ends chats with overdue deadlines, in this replica's share of the shards. A
   * shard is a fixed group of chats. Runs about once a second, so an earlier run may still be ending some of the chats.
   */
  @OnProcessEvent('LeaseRenewed')
  async sweepAbandonedChats(): Promise<void> {
    // `reconcile` repeats failed changes of the records of sockets.
    const [overdueDeadlines] = await Promise.all([this.presence.sweep(), this.presence.reconcile()]);
    const newDeadlines = overdueDeadlines.filter(({ sessionId }) => !this.endingSessionIds.has(sessionId));
    for (const { sessionId } of newDeadlines) this.endingSessionIds.add(sessionId);
    const failures: unknown[] = [];
    for (let start = 0; start < newDeadlines.length; start += ENDING_CONCURRENCY) {
      const batch = newDeadlines.slice(start, start + ENDING_CONCURRENCY);
      const results = await Promise.allSettled(batch.map((deadline) => this.endOrPostpone(deadline)));
      for (const { sessionId } of batch) this.endingSessionIds.delete(sessionId);
      for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
    }
    if (failures.length > 0)
      logWarning(this.logger, `${failures.length} chats could not be ended yet`, failures[0]);
  }

  /**
   * Ends an abandoned chat. Postpones a chat that cannot be ended now, so that it does not delay others.
   * @throws the error of the attempt to end the chat.
   */
  private async endOrPostpone(deadline: Deadline): Promise<void> {
    try {
      await this.endAbandonedChat(deadline);
    } catch (error) {
      // Postponing fails while Redis is unreachable. That delays no other chat, because none can be swept then.
      await this.presence.postpone(deadline, POSTPONE_BY_MS).catch(() => undefined);
      throw error;
    }
  }

  private async endAbandonedChat({ sessionId, userId }: Deadline): Promise<void> {
    const chat = await this.chats.read(sessionId);
    const hasOnlyStarted = chat.version === 1; // the only event is `ChatStarted`
    if (hasOnlyStarted && (await this.wasClaimReleased(chat))) {
      // `not_overdue` needs no check. No user returns to a chat that none has seen, so it means that another process
      // has handled the deadline.
      await chat.executeIfOverdue({ type: 'AbortChat' }, userId);
      await this.presence.forget(sessionId, chat.userIds);
    } else if (chat.hasParticipant(userId)) {
      const { kind } = await chat.executeIfOverdue({ type: 'EndAbandonedChat', userId }, userId);
      if (kind !== 'not_overdue') await this.closeRecords(chat);
    } else {
      await this.presence.forget(sessionId, [userId]); // the chat no longer exists
    }
  }

  /**
   * Whether the claim was released although the chat had started: the replica died before it could confirm the match,
   * and no user saw the chat. The records of the two users in the queue then no longer name the chat.
   */
  private async wasClaimReleased({ sessionId, userIds }: LiveChat): Promise<boolean> {
    const queueRecords = await this.queue.readRecords(userIds);
    return !queueRecords.some((record) => record?.sessionId === sessionId);
  }
}
