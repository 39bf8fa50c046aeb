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
import { EvidenceService, type TakenEvidence } from './evidence.service';
import { type ReportableChat, ReportableChatService } from './reportable-chat.service';
import { ReporterWeightService } from './reporter-weight.service';

export interface FiledReport {
  report: Report;
  /** Whether this call created it. */
  isNew: boolean;
}

/** Files reports with evidence that the server takes. */
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
   * Files a report, and blocks the reported user afterwards if asked to. The same report again returns the one that is
   * there, announces the standing and blocks again: an earlier call may have died after its commit.
   * @throws DomainError rate_limited, not_found, too_late
   */
  async file(request: FileReport): Promise<FiledReport> {
    const { reporterId, targetId, alsoBlock = false } = request;
    // What the limit of an hour refuses is not charged to that of a day.
    await this.rateLimiter.require('reports', reporterId);
    await this.rateLimiter.require('reports_of_day', reporterId);
    const [target, chat] = await Promise.all([this.users.findProfile(targetId), this.chats.find(request)]);
    if (target === null) throw new DomainError('not_found');
    const knownId = await this.reports.findSame(reporterId, targetId, chat);
    if (knownId === null && chat.isTooLate) throw new DomainError('too_late');
    const { reportId, isNew } =
      knownId === null ? await this.fileNew(request, chat) : { reportId: knownId, isNew: false };
    if (knownId !== null) await this.conduct.announceAgain(targetId);
    if (alsoBlock) await this.block(reporterId, targetId);
    const report = await this.reports.find(reportId);
    if (!report) throw new Error(`Report ${reportId} is not in the read model`);
    return { report, isNew };
  }

  private async fileNew(
    { reporterId, targetId, category, words, messageIds }: FileReport,
    chat: ReportableChat,
  ): Promise<{ reportId: number; isNew: boolean }> {
    const [taken, weight, deviceAccountIds] = await Promise.all([
      chat.where === 'random_chat'
        ? this.evidence.takeFromRandomChat(chat.sessionId, chat.userIds, messageIds)
        : this.evidence.takeFromPrivateChat(reporterId, targetId, messageIds),
      this.weights.weigh(reporterId),
      this.devices.findAccounts(reporterId),
    ]);
    return this.conduct.fileReport(
      {
        userId: targetId,
        reporterId,
        category,
        context: toContext(chat, taken),
        words: normalizeText(words ?? '') || null,
        evidence: taken.json,
        evidenceHash: taken.hash,
        deviceAccountIds,
        weight,
      },
      async (manager, { caseId, isNew }) => {
        if (isNew) await this.images.hold(taken.imageKeys, caseId, manager);
      },
    );
  }

  /**
   * The report stands even if the list of blocks is full. Other failures are thrown, so that the caller tries again.
   */
  private async block(reporterId: number, targetId: number): Promise<void> {
    try {
      await this.blocks.block(reporterId, targetId);
    } catch (error) {
      const isRefused = error instanceof DomainError && ['limit_reached', 'not_found'].includes(error.code);
      if (!isRefused) throw error;
    }
  }
}

const toContext = (chat: ReportableChat, { lastMessageAt }: TakenEvidence): ReportContext =>
  chat.where === 'random_chat'
    ? { where: 'random_chat', sessionId: chat.sessionId, at: chat.at.toISOString() }
    : { where: 'private_chat', at: (lastMessageAt ?? new Date()).toISOString() };
