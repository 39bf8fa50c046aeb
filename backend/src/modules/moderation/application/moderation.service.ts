import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import type {
  AddNote,
  Claim,
  ConfirmBan,
  DecideAppeal,
  DecideCase,
  EscalateCase,
  ModerationCase,
  VersionAnswer,
} from '@thaw/contract/moderation';
import type { ModeratorAction } from '@thaw/contract/moderation-records';
import { normalizeText } from '@thaw/contract/text';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ConductService } from '../../conduct/application/conduct.service';
import { ImageBlocksService } from '../../image-blocks/application/image-blocks.service';
import { CaseRepository } from '../infrastructure/case.repository';
import { AuditService } from './audit.service';
import { CaseImagesService } from './case-images.service';
import { CasesService } from './cases.service';
import { EligibleModeratorsService } from './eligible-moderators.service';

/** A case, and the moderator who acts on it. */
interface Subject {
  moderatorId: number;
  caseId: number;
  userId: number;
}

/** Moderators' acts on cases. Each act commits together with its record in the audit log. */
@Injectable()
export class ModerationService {
  constructor(
    private readonly conduct: ConductService,
    private readonly cases: CasesService,
    private readonly repository: CaseRepository,
    private readonly eligible: EligibleModeratorsService,
    private readonly images: CaseImagesService,
    private readonly imageBlocks: ImageBlocksService,
    private readonly audit: AuditService,
  ) {}

  /** @throws DomainError not_found, own_decision, claimed, already_answered */
  async claim(moderatorId: number, caseId: number): Promise<Claim> {
    const subject = await this.findSubject(moderatorId, caseId);
    const { version, events } = await this.conduct.claimCase(
      subject,
      this.createAuditStep('claimed', subject),
    );
    const until = events.map(({ data }) => data as { until?: string }).at(-1)?.until;
    if (until === undefined) throw new Error('The claim has no end');
    return { claimedBy: moderatorId, until, version };
  }

  /** @throws DomainError not_found, claimed */
  async release(moderatorId: number, caseId: number): Promise<void> {
    const subject = await this.findSubject(moderatorId, caseId);
    await this.conduct.releaseCase(subject, this.createAuditStep('released', subject));
  }

  /** @throws DomainError not_found */
  async addNote(moderatorId: number, caseId: number, { text }: AddNote): Promise<VersionAnswer> {
    const subject = await this.findSubject(moderatorId, caseId);
    const command = { ...subject, text: normalizeText(text) };
    const { version } = await this.conduct.addNote(command, this.createAuditStep('noted', subject));
    return { version };
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered */
  async escalate(moderatorId: number, caseId: number, body: EscalateCase): Promise<ModerationCase> {
    const subject = await this.findSubject(moderatorId, caseId);
    const command = { ...subject, version: body.version, reason: normalizeText(body.reason) };
    await this.conduct.escalateCase(command, this.createAuditStep('escalated', subject));
    return this.cases.load(caseId);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed */
  async decide(moderatorId: number, caseId: number, body: DecideCase): Promise<ModerationCase> {
    const { version, outcome, rule = null, facts, note } = body;
    const until = toEnd(body.until);
    const subject = await this.findSubject(moderatorId, caseId);
    const imageIds = body.blockImages ?? [];
    if (imageIds.length > 0 && rule === null) throw new DomainError('validation_failed');
    const images = await this.images.findHashes(subject.userId, caseId, imageIds);
    const involvement = await this.findInvolvement(subject);
    const texts = { facts: toText(facts), note: toText(note) };
    await this.conduct.decideCase(
      { ...subject, ...involvement, version, outcome, rule, until, ...texts },
      async (manager) => {
        await this.audit.record({ ...subject, action: 'decided' }, manager);
        if (rule === null || images.length === 0) return;
        await this.imageBlocks.block({ images, rule, caseId, moderatorId }, manager);
        for (const imageId of imageIds)
          await this.audit.record({ ...subject, action: 'image_blocked', imageId }, manager);
      },
    );
    return this.cases.load(caseId);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered */
  async confirm(moderatorId: number, caseId: number, body: ConfirmBan): Promise<ModerationCase> {
    const { version, isConfirmed } = body;
    const subject = await this.findSubject(moderatorId, caseId);
    const command = {
      ...subject,
      ...(await this.findInvolvement(subject)),
      version,
      isConfirmed,
      facts: toText(body.facts),
    };
    await this.conduct.confirmBan(command, this.createAuditStep('confirmed', subject));
    return this.cases.load(caseId);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed */
  async decideAppeal(moderatorId: number, appealId: number, body: DecideAppeal): Promise<ModerationCase> {
    const { version, outcome, answer } = body;
    const until = body.until === undefined ? null : new Date(body.until);
    const caseId = await this.repository.findCaseOfAppeal(appealId);
    if (caseId === null) throw new DomainError('not_found');
    const subject = await this.findSubject(moderatorId, caseId);
    const involvement = await this.findInvolvement(subject);
    const { userId } = subject;
    await this.conduct.decideAppeal(
      {
        userId,
        moderatorId,
        ...involvement,
        appealId,
        version,
        outcome,
        until,
        answer: normalizeText(answer),
      },
      this.createAuditStep('appeal_decided', subject),
    );
    return this.cases.load(caseId);
  }

  private async findSubject(moderatorId: number, caseId: number): Promise<Subject> {
    return { moderatorId, caseId, userId: await this.cases.requireUserId(caseId) };
  }

  private async findInvolvement({
    caseId,
  }: Subject): Promise<{ excludedModeratorIds: number[]; isOnlyModerator: boolean }> {
    const { friendIds, isOnlyModerator } = await this.eligible.findInvolved(caseId);
    return { excludedModeratorIds: friendIds, isOnlyModerator };
  }

  private createAuditStep(
    action: ModeratorAction,
    subject: Subject,
  ): (manager: EntityManager) => Promise<void> {
    return (manager) => this.audit.record({ ...subject, action }, manager);
  }
}

const toText = (text: string | undefined): string | null => (text === undefined ? null : normalizeText(text));

/** @throws DomainError validation_failed unless the end is 1 hour to 365 days from now */
const toEnd = (until: string | undefined): Date | null => {
  if (until === undefined) return null;
  const end = new Date(until);
  const durationMs = end.getTime() - Date.now();
  if (!(durationMs >= limits.suspensionMinMs && durationMs <= limits.suspensionMaxMs))
    throw new DomainError('validation_failed');
  return end;
};
