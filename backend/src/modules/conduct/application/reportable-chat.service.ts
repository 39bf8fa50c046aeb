import { Inject, Injectable } from '@nestjs/common';
import type { FileReport } from '@thaw/contract/safety';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { FriendshipLookupService } from '../../friends/application/friendship-lookup.service';
import { PrivateTranscriptService } from '../../private-chat/application/private-transcript.service';
import { type ChatPeriod, PastChatService } from '../../random-chat/application/past-chat.service';
import { USER_RELATIONS, type UserRelationsPort } from '../../users/application/user-relations.port';

/** The chat that a report is about. `isTooLate`: whether the time in which it can be reported is over. */
export type ReportableChat =
  | {
      where: 'random_chat';
      sessionId: string;
      userIds: readonly number[];
      startedAt: Date;
      isTooLate: boolean;
    }
  | { where: 'private_chat'; isTooLate: boolean };

/**
 * The two users of a report, and the chat between them. A random chat is named by its `sessionId`, or by `historyId`,
 * the id of its entry in the chat history. Without these ids it is their private chat.
 */
export type ChatReference = Pick<FileReport, 'reporterId' | 'targetId' | 'sessionId' | 'historyId'>;

/** Finds the chat that a report is about. A user may report another even if one of them has blocked the other. */
@Injectable()
export class ReportableChatService {
  constructor(
    private readonly pastChats: PastChatService,
    private readonly privateChats: PrivateTranscriptService,
    private readonly friendships: FriendshipLookupService,
    @Inject(USER_RELATIONS) private readonly relations: UserRelationsPort,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REPORTABLE_AFTER_END_S'>,
  ) {}

  /**
   * @throws DomainError not_found when the two users have no such random chat, or when a private chat is reported and
   * they have never met
   */
  async find(reference: ChatReference): Promise<ReportableChat> {
    const { sessionId, historyId } = reference;
    if (sessionId !== undefined)
      return this.requireRandomChat(reference, await this.pastChats.find(sessionId));
    if (historyId !== undefined)
      return this.requireRandomChat(reference, await this.pastChats.findByHistoryId(historyId));
    return this.findPrivateChat(reference);
  }

  /** @throws DomainError not_found when there is no such chat, or the two are not its users */
  private requireRandomChat(
    { reporterId, targetId }: ChatReference,
    chat: ChatPeriod | null,
  ): ReportableChat {
    if (!chat) throw new DomainError('not_found');
    const { sessionId, userIds, startedAt, endedAt } = chat;
    const isChatOfBoth =
      reporterId !== targetId && userIds.includes(reporterId) && userIds.includes(targetId);
    if (!isChatOfBoth) throw new DomainError('not_found');
    const isTooLate = endedAt !== null && endedAt < this.computeReportableSince();
    return { where: 'random_chat', sessionId, userIds, startedAt, isTooLate };
  }

  private async findPrivateChat({ reporterId, targetId }: ChatReference): Promise<ReportableChat> {
    const since = this.computeReportableSince();
    if (await this.haveBeenConnectedSince(reporterId, targetId, since))
      return { where: 'private_chat', isTooLate: false };
    // Only messages that the reporter received count.
    const lastMessageAt = await this.privateChats.findLastMessageTime(targetId, reporterId);
    if (lastMessageAt) return { where: 'private_chat', isTooLate: lastMessageAt < since };
    const haveMet = await this.relations.areAcquainted(reporterId, targetId);
    if (!haveMet) throw new DomainError('not_found');
    // They have met elsewhere, such as in a random chat. There is no private message to report.
    return { where: 'private_chat', isTooLate: true };
  }

  /** Whether the two are friends or have an open friend request, or one of these was ended or voided after `since`. */
  private async haveBeenConnectedSince(reporterId: number, targetId: number, since: Date): Promise<boolean> {
    return (
      (await this.friendships.areFriends(reporterId, targetId)) ||
      (await this.friendships.hasPendingRequest(reporterId, targetId)) ||
      // A block ends the friendship or voids the request, but must not prevent a report.
      (await this.friendships.haveSeparatedSince(reporterId, targetId, since))
    );
  }

  /** Chats that ended, and messages that were sent, before this time can no longer be reported. */
  private computeReportableSince(): Date {
    return new Date(Date.now() - this.environment.REPORTABLE_AFTER_END_S * 1_000);
  }
}
