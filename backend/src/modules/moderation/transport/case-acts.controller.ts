import { Body, Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse } from '@nestjs/swagger';
import { decideAppealSchema, decideCaseSchema } from '@thaw/contract/moderation';
import { ApiProblems } from '../../../platform/http/api-problems.decorator';
import { ValidBodyPipe } from '../../../platform/http/body.pipe';
import { CurrentLogin, type Login } from '../../../platform/http/login.decorator';
import { PathIdPipe } from '../../../platform/http/path-id.pipe';
import { ModerationService } from '../application/moderation.service';
import {
  AddNoteDto,
  ClaimDto,
  ConfirmBanDto,
  DecideAppealDto,
  DecideCaseDto,
  EscalateCaseDto,
  VersionAnswerDto,
} from './case-act.dto';
import { AnswersWithCase } from './case-answer.decorator';
import type { ModerationCaseDto } from './case.dto';
import { ContractValuePipe } from './contract-value.pipe';
import { ModerationController } from './moderation-route.decorator';

/**
 * Acts of a moderator on a case. `AnswersWithCase` sets the status and documents the responses of an act that returns
 * the changed case. `ContractValuePipe` validates bodies whose rules span several fields.
 */
@ModerationController('moderation/cases')
export class CaseActsController {
  constructor(private readonly moderation: ModerationService) {}

  /** Reserves the case for a limited time, in which no other moderator can decide it. */
  @Post(':caseId/claim')
  @HttpCode(200)
  @ApiOkResponse({ type: ClaimDto })
  @ApiProblems('not_signed_in', 'forbidden', 'not_found', 'own_decision', 'claimed', 'already_answered')
  claim(@CurrentLogin() { userId }: Login, @Param('caseId', PathIdPipe) caseId: number): Promise<ClaimDto> {
    return this.moderation.claim(userId, caseId);
  }

  @Delete(':caseId/claim')
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('not_signed_in', 'forbidden', 'not_found', 'claimed')
  async release(
    @CurrentLogin() { userId }: Login,
    @Param('caseId', PathIdPipe) caseId: number,
  ): Promise<void> {
    await this.moderation.release(userId, caseId);
  }

  /** The response is the new version of the case. */
  @Post(':caseId/notes')
  @ApiCreatedResponse({ type: VersionAnswerDto })
  @ApiProblems('validation_failed', 'not_signed_in', 'forbidden', 'not_found')
  addNote(
    @CurrentLogin() { userId }: Login,
    @Param('caseId', PathIdPipe) caseId: number,
    @Body(new ValidBodyPipe(AddNoteDto)) note: AddNoteDto,
  ): Promise<VersionAnswerDto> {
    return this.moderation.addNote(userId, caseId, note);
  }

  @Post(':caseId/escalation')
  @AnswersWithCase()
  escalate(
    @CurrentLogin() { userId }: Login,
    @Param('caseId', PathIdPipe) caseId: number,
    @Body(new ValidBodyPipe(EscalateCaseDto)) escalation: EscalateCaseDto,
  ): Promise<ModerationCaseDto> {
    return this.moderation.escalate(userId, caseId, escalation);
  }

  @Post(':caseId/decision')
  @AnswersWithCase()
  @ApiBody({ type: DecideCaseDto })
  decide(
    @CurrentLogin() { userId }: Login,
    @Param('caseId', PathIdPipe) caseId: number,
    @Body(new ContractValuePipe(decideCaseSchema)) decision: DecideCaseDto,
  ): Promise<ModerationCaseDto> {
    return this.moderation.decide(userId, caseId, decision);
  }

  /** Confirms or rejects a ban that another moderator or an automatic rule has imposed. */
  @Post(':caseId/confirmation')
  @AnswersWithCase()
  confirm(
    @CurrentLogin() { userId }: Login,
    @Param('caseId', PathIdPipe) caseId: number,
    @Body(new ValidBodyPipe(ConfirmBanDto)) confirmation: ConfirmBanDto,
  ): Promise<ModerationCaseDto> {
    return this.moderation.confirm(userId, caseId, confirmation);
  }
}

/** Decides appeals. The response is the case to which the appeal belongs. */
@ModerationController('moderation/appeals')
export class CaseAppealsController {
  constructor(private readonly moderation: ModerationService) {}

  @Put(':appealId')
  @AnswersWithCase()
  @ApiBody({ type: DecideAppealDto })
  decide(
    @CurrentLogin() { userId }: Login,
    @Param('appealId', PathIdPipe) appealId: number,
    @Body(new ContractValuePipe(decideAppealSchema)) decision: DecideAppealDto,
  ): Promise<ModerationCaseDto> {
    return this.moderation.decideAppeal(userId, appealId, decision);
  }
}
