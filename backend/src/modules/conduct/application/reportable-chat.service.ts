import { Inject, Injectable } from '@nestjs/common';
import type { FileReport } from '@thaw/contract/safety';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { FriendshipService } from '../../friends/application/friendship.service';
import { PrivateTranscriptService } from '../../private-chat/application/private-transcript.service';
import { type ChatPeriod, PastChatService } from '../../random-chat/application/past-chat.service';
import { USER_RELATIONS, type UserRelationsPort } from '../../users/application/user-relations.port';

/** A chat of the reporter and the reported user. */
export type ReportableChat =
  | { where: 'random_chat'; sessionId: string; userIds: readonly number[]; at: Date; isTooLate: boolean }
  | { where: 'private_chat'; isTooLate: boolean };

/** The two users, and the chat that the reporter names; the private chat without a name. */
export type ChatReference = Pick<FileReport, 'reporterId' | 'targetId' | 'sessionId' | 'historyId'>;

/** Finds the chat that a report is about. Blocks between the two do not matter: either may report the other. */
@Injectable()
export class ReportableChatService {
  constructor(
    private readonly pastChats: PastChatService,
    private readonly privateChats: PrivateTranscriptService,
    private readonly friendships: FriendshipService,
    @Inject(USER_RELATIONS) private readonly relations: UserRelationsPort,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REPORTABLE_AFTER_END_S'>,
  ) {}

  /** @throws DomainError not_found when there is no such chat of the two */
  async find(reference: ChatReference): Promise<ReportableChat> {
    const { sessionId, historyId } = reference;
    if (sessionId !== undefined) return this.toReportable(reference, await this.pastChats.find(sessionId));
    if (historyId !== undefined)
      return this.toReportable(reference, await this.pastChats.findByHistoryId(historyId));
    return this.findPrivateChat(reference);
  }

  private toReportable({ reporterId, targetId }: ChatReference, chat: ChatPeriod | null): ReportableChat {
    const isTheirs =
      reporterId !== targetId && [reporterId, targetId].every((id) => chat?.userIds.includes(id));
    if (!chat || !isTheirs) throw new DomainError('not_found');
    const { sessionId, userIds, startedAt, endedAt } = chat;
    const isTooLate = endedAt !== null && endedAt < this.computeReportableSince();
    return { where: 'random_chat', sessionId, userIds, at: startedAt, isTooLate };
  }

  private async findPrivateChat({ reporterId, targetId }: ChatReference): Promise<ReportableChat> {
    const since = this.computeReportableSince();
    const isCurrent =
      (await this.friendships.areFriends(reporterId, targetId)) ||
      (await this.friendships.hasPendingRequest(reporterId, targetId)) ||
      // A block has ended the friendship or voided the request.
      (await this.friendships.haveSeparatedSince(reporterId, targetId, since));
    if (isCurrent) return { where: 'private_chat', isTooLate: false };
    const lastMessageAt = await this.privateChats.findLastMessageTime(targetId, reporterId);
    if (lastMessageAt) return { where: 'private_chat', isTooLate: lastMessageAt < since };
    if (await this.relations.areAcquainted(reporterId, targetId))
      return { where: 'private_chat', isTooLate: true };
    throw new DomainError('not_found');
  }

  private computeReportableSince(): Date {
    return new Date(Date.now() - this.environment.REPORTABLE_AFTER_END_S * 1_000);
  }
}
