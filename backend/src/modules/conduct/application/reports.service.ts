import { Injectable } from '@nestjs/common';
import type { FileReport, Report } from '@thaw/contract/safety';
import { normalizeText } from '@thaw/contract/text';
import { DomainError } from '../../../platform/errors/domain.errors';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { BlocksService } from '../../blocks/application/blocks.service';
import { DeviceAccountsService } from '../../standings/application/device-accounts.service';
import { HeldImagesService } from '../../uploads/application/held-images.service';
import { UsersService } from '../../users/application/users.service';
import type { ReportContext } from '../domain/conduct.events';
import { ReportRepository } from '../infrastructure/report.repository';
import { ConductService } from './conduct.service';
import { EvidenceService, type EvidenceCopy } from './evidence.service';
import { type ReportableChat, ReportableChatService } from './reportable-chat.service';
import { ReporterWeightService } from './reporter-weight.service';

export interface FiledReport {
  report: Report;
  /** Whether this call filed the report; false when an earlier call did. */
  isNew: boolean;
}

/** Files reports, with messages of the chat that the server copies as evidence. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly chats: ReportableChatService,
    private readonly evidence: EvidenceService,
    private readonly weights: ReporterWeightService,
    private readonly conduct: ConductService,
    private readonly reports: ReportRepository,
    private readonly images: HeldImagesService,
    private readonly blocks: BlocksService,
    private readonly users: UsersService,
    private readonly devices: DeviceAccountsService,
    private readonly rateLimiter: RateLimiterService,
  ) {}

  /** The user's own reports, newest first. */
  list(reporterId: number): Promise<Report[]> {
    return this.reports.findByReporter(reporterId);
  }

  /**
   * Files a report, and blocks the reported user afterwards if `alsoBlock` is set. A repeated call returns the existing
   * report, and repeats the announcement and the block, because an earlier call may have died after its commit.
   * @throws DomainError rate_limited, not_found, too_late, unavailable
   */
  async file(request: FileReport): Promise<FiledReport> {
    const { reporterId, targetId, alsoBlock = false } = request;
    // `reports` is the hourly limit. A report that it refuses is not charged to the daily limit.
    await this.rateLimiter.require('reports', reporterId);
    await this.rateLimiter.require('reports_of_day', reporterId);
    const [target, chat] = await Promise.all([this.users.findProfile(targetId), this.chats.find(request)]);
    if (target === null) throw new DomainError('not_found');
    const existingId = await this.reports.findExistingId(reporterId, targetId, chat);
    const { reportId, isNew } =
      existingId === null ? await this.fileNew(request, chat) : await this.reuse(existingId, targetId);
    if (alsoBlock) await this.blockIfPossible(reporterId, targetId);
    const report = await this.reports.find(reportId);
    if (!report) throw new Error(`Report ${reportId} is not in the read model`);
    return { report, isNew };
  }

  private async fileNew(
    { reporterId, targetId, category, words, messageIds }: FileReport,
    chat: ReportableChat,
  ): Promise<{ reportId: number; isNew: boolean }> {
    if (chat.isTooLate) throw new DomainError('too_late');
    const [evidence, weight, deviceAccountIds] = await Promise.all([
      chat.where === 'random_chat'
        ? this.evidence.copyRandomChat(chat.sessionId, chat.userIds, messageIds)
        : this.evidence.copyPrivateChat(reporterId, targetId, messageIds),
      this.weights.weigh(reporterId),
      this.devices.findAccounts(reporterId),
    ]);
    return this.conduct.fileReport(
      {
        userId: targetId,
        reporterId,
        category,
        context: toContext(chat, evidence),
        words: normalizeText(words ?? '') || null,
        evidence: evidence.json,
        evidenceHash: evidence.hash,
        deviceAccountIds,
        weight,
      },
      async (manager, { caseId, isNew }) => {
        if (isNew) await this.images.hold(evidence.imageKeys, caseId, manager);
      },
    );
  }

  /** Uses an existing report. Announces the standing, as the call that filed the report did or should have done. */
  private async reuse(reportId: number, targetId: number): Promise<{ reportId: number; isNew: boolean }> {
    await this.conduct.announceAgain(targetId);
    return { reportId, isNew: false };
  }

  /**
   * Blocks the reported user. The report stands even if the block is refused: the list of blocks is full, or a user has
   * been deleted meanwhile. Other failures are thrown, so that the caller tries again.
   */
  private async blockIfPossible(reporterId: number, targetId: number): Promise<void> {
    try {
      await this.blocks.block(reporterId, targetId);
    } catch (error) {
      const isRefused = error instanceof DomainError && ['limit_reached', 'not_found'].includes(error.code);
      if (!isRefused) throw error;
    }
  }
}

const toContext = (chat: ReportableChat, { lastMessageAt }: EvidenceCopy): ReportContext => {
  if (chat.where === 'random_chat')
    return { where: 'random_chat', sessionId: chat.sessionId, at: chat.startedAt.toISOString() };
  // A friend can be reported before the first message.
  const at = lastMessageAt ?? new Date();
  return { where: 'private_chat', at: at.toISOString() };
};
