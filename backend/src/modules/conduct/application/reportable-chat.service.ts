import { Inject, Injectable } from '@nestjs/common';
import type { FileReport } from '@thaw/contract/safety';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { FriendshipLookupService } from '../../friends/application/friendship-lookup.service';
import { PrivateTranscriptService } from '../../private-chat/application/private-transcript.service';
import { type ChatPeriod, PastChatService } from '../../random-chat/application/past-chat.service';
import { USER_RELATIONS, type UserRelationsPort } from '../../users/application/user-relations.port';

/** A chat of the reporter and the reported user. `isTooLate`: whether the time in which it can be reported is over. */
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
 * The two users and the reported chat: a random chat, by its `sessionId` or by the id of its entry in the chat history
 * (`historyId`). Without these ids it is their private chat.
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
    if (sessionId !== undefined) return this.toReportable(reference, await this.pastChats.find(sessionId));
    if (historyId !== undefined)
      return this.toReportable(reference, await this.pastChats.findByHistoryId(historyId));
    return this.findPrivateChat(reference);
  }

  private toReportable({ reporterId, targetId }: ChatReference, chat: ChatPeriod | null): ReportableChat {
    const isChatOfBoth =
      reporterId !== targetId && [reporterId, targetId].every((id) => chat?.userIds.includes(id));
    if (!chat || !isChatOfBoth) throw new DomainError('not_found');
    const { sessionId, userIds, startedAt, endedAt } = chat;
    const isTooLate = endedAt !== null && endedAt < this.computeReportableSince();
    return { where: 'random_chat', sessionId, userIds, startedAt, isTooLate };
  }

  private async findPrivateChat({ reporterId, targetId }: ChatReference): Promise<ReportableChat> {
    const since = this.computeReportableSince();
    const isReportable =
      (await this.friendships.areFriends(reporterId, targetId)) ||
      (await this.friendships.hasPendingRequest(reporterId, targetId)) ||
      // A block ends the friendship or voids the request, but must not prevent a report.
      (await this.friendships.haveSeparatedSince(reporterId, targetId, since));
    if (isReportable) return { where: 'private_chat', isTooLate: false };
    // Only messages that the reporter received count.
    const lastMessageAt = await this.privateChats.findLastMessageTime(targetId, reporterId);
    if (lastMessageAt) return { where: 'private_chat', isTooLate: lastMessageAt < since };
    // They have met, for example in a random chat, but there is no message to report. A new report is refused as too
    // late: `not_found` is only for users who have never met.
    if (await this.relations.areAcquainted(reporterId, targetId))
      return { where: 'private_chat', isTooLate: true };
    throw new DomainError('not_found');
  }

  /** What ended or was sent before this time can no longer be reported. */
  private computeReportableSince(): Date {
    return new Date(Date.now() - this.environment.REPORTABLE_AFTER_END_S * 1_000);
  }
}
