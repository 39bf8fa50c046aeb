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
import type { HouseRule } from '@thaw/contract/safety';
import { normalizeText } from '@thaw/contract/text';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ConductService } from '../../conduct/application/conduct.service';
import { ImageBlocksService } from '../../image-blocks/application/image-blocks.service';
import { CaseRepository } from '../infrastructure/case.repository';
import { AuditService } from './audit.service';
import { type BlockableImage, CaseImagesService } from './case-images.service';
import { CasesService } from './cases.service';
import { EligibleModeratorsService } from './eligible-moderators.service';

/** The moderator who acts, the case on which they act, and the user whom the case is about. */
interface CaseAct {
  moderatorId: number;
  caseId: number;
  userId: number;
}

/**
 * Moderators' acts on cases. Each act commits together with its record in the audit log. Common errors:
 * - `own_decision`: the moderator is involved in the case, or would review their own act.
 * - `claimed`: the case is reserved for another moderator.
 * - `case_changed`: events were recorded since the version that the moderator has seen.
 * - `already_answered`: the case does not wait for this act any more.
 * - `validation_failed`: the parts of a decision do not fit together.
 *
 * The commands of `decide`, `confirm` and `decideAppeal` contain a `ModeratorInvolvement`: which moderators are friends
 * of a party, and whether there is only one moderator. The conduct module cannot know this from its events.
 */
@Injectable()
export class ModerationService {
  constructor(
    private readonly conduct: ConductService,
    private readonly cases: CasesService,
    private readonly repository: CaseRepository,
    private readonly eligibleModerators: EligibleModeratorsService,
    private readonly images: CaseImagesService,
    private readonly imageBlocks: ImageBlocksService,
    private readonly audit: AuditService,
  ) {}

  /** @throws DomainError not_found, own_decision, claimed, already_answered */
  async claim(moderatorId: number, caseId: number): Promise<Claim> {
    const act = await this.toCaseAct(moderatorId, caseId);
    const { version, events } = await this.conduct.claimCase(act, this.createAuditStep('claimed', act));
    const claimed = events.find((event) => event.type === 'CaseClaimed');
    if (!claimed) throw new Error('The claim was not recorded');
    return { claimedBy: moderatorId, until: claimed.data.until, version };
  }

  /** @throws DomainError not_found, claimed */
  async release(moderatorId: number, caseId: number): Promise<void> {
    const act = await this.toCaseAct(moderatorId, caseId);
    await this.conduct.releaseCase(act, this.createAuditStep('released', act));
  }

  /** @throws DomainError not_found */
  async addNote(moderatorId: number, caseId: number, { text }: AddNote): Promise<VersionAnswer> {
    const act = await this.toCaseAct(moderatorId, caseId);
    const command = { ...act, text: normalizeText(text) };
    const { version } = await this.conduct.addNote(command, this.createAuditStep('noted', act));
    return { version };
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered */
  async escalate(moderatorId: number, caseId: number, body: EscalateCase): Promise<ModerationCase> {
    const act = await this.toCaseAct(moderatorId, caseId);
    const command = { ...act, version: body.version, reason: normalizeText(body.reason) };
    await this.conduct.escalateCase(command, this.createAuditStep('escalated', act));
    return this.cases.load(caseId);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed */
  async decide(moderatorId: number, caseId: number, body: DecideCase): Promise<ModerationCase> {
    const { version, outcome, rule = null, blockImages: imageIds = [] } = body;
    const until = parseSuspensionEnd(body.until);
    const act = await this.toCaseAct(moderatorId, caseId);
    // Each entry of the image block-list states the rule that the image breaks.
    if (imageIds.length > 0 && rule === null) throw new DomainError('validation_failed');
    const images = await this.images.findBlockable(act.userId, caseId, imageIds);
    const moderatorInvolvement = await this.eligibleModerators.findModeratorInvolvement(caseId);
    const command = {
      ...act,
      ...moderatorInvolvement,
      version,
      outcome,
      rule,
      until,
      facts: normalizeOptionalText(body.facts),
      note: normalizeOptionalText(body.note),
    };
    await this.conduct.decideCase(command, async (manager) => {
      await this.audit.record({ ...act, action: 'decided' }, manager);
      // If there are images, `rule` is not null (checked above), but TypeScript does not know this.
      if (rule !== null && images.length > 0) await this.blockImages(act, images, rule, manager);
    });
    return this.cases.load(caseId);
  }

  /**
   * Confirms a ban, or lifts it if `isConfirmed` is false. The audit log records either as `confirmed`.
   * @throws DomainError not_found, own_decision, claimed, case_changed, already_answered
   */
  async confirm(moderatorId: number, caseId: number, body: ConfirmBan): Promise<ModerationCase> {
    const { version, isConfirmed } = body;
    const act = await this.toCaseAct(moderatorId, caseId);
    const moderatorInvolvement = await this.eligibleModerators.findModeratorInvolvement(caseId);
    const command = {
      ...act,
      ...moderatorInvolvement,
      version,
      isConfirmed,
      facts: normalizeOptionalText(body.facts),
    };
    await this.conduct.confirmBan(command, this.createAuditStep('confirmed', act));
    return this.cases.load(caseId);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed */
  async decideAppeal(moderatorId: number, appealId: number, body: DecideAppeal): Promise<ModerationCase> {
    const { version, outcome, answer } = body;
    const caseId = await this.repository.findCaseIdOfAppeal(appealId);
    if (caseId === null) throw new DomainError('not_found');
    const act = await this.toCaseAct(moderatorId, caseId);
    const moderatorInvolvement = await this.eligibleModerators.findModeratorInvolvement(caseId);
    // The appeal identifies the case, so the command has no `caseId`.
    const command = {
      userId: act.userId,
      moderatorId,
      ...moderatorInvolvement,
      appealId,
      version,
      outcome,
      // `parseSuspensionEnd` does not apply here: the conduct module checks that this end shortens the sanction.
      until: body.until === undefined ? null : new Date(body.until),
      answer: normalizeText(answer),
    };
    await this.conduct.decideAppeal(command, this.createAuditStep('appeal_decided', act));
    return this.cases.load(caseId);
  }

  /** @throws DomainError not_found */
  private async toCaseAct(moderatorId: number, caseId: number): Promise<CaseAct> {
    return { moderatorId, caseId, userId: await this.cases.requireUserId(caseId) };
  }

  /** Adds images of the case to the image block-list, and records each in the audit log. */
  private async blockImages(
    act: CaseAct,
    images: readonly BlockableImage[],
    rule: HouseRule,
    manager: EntityManager,
  ): Promise<void> {
    const { caseId, moderatorId } = act;
    await this.imageBlocks.block({ images, rule, caseId, moderatorId }, manager);
    for (const { imageId } of images)
      await this.audit.record({ ...act, action: 'image_blocked', imageId }, manager);
  }

  /** Creates the callback that records the act in the transaction of its command. */
  private createAuditStep(action: ModeratorAction, act: CaseAct): (manager: EntityManager) => Promise<void> {
    return (manager) => this.audit.record({ ...act, action }, manager);
  }
}

const normalizeOptionalText = (text: string | undefined): string | null =>
  text === undefined ? null : normalizeText(text);

/** @throws DomainError validation_failed unless the end is 1 hour to 365 days from now */
const parseSuspensionEnd = (until: string | undefined): Date | null => {
  if (until === undefined) return null;
  const end = new Date(until);
  const durationMs = end.getTime() - Date.now();
  const isAllowed = durationMs >= limits.suspensionMinMs && durationMs <= limits.suspensionMaxMs;
  if (!isAllowed) throw new DomainError('validation_failed');
  return end;
};
