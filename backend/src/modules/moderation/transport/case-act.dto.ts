import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { limits } from '@thaw/contract/limits';
import {
  type AddNote,
  addNoteSchema,
  type CaseOutcome,
  caseOutcomeSchema,
  type Claim,
  type ConfirmBan,
  confirmBanSchema,
  type DecideAppeal,
  decideAppealSchema,
  type DecideCase,
  decideCaseSchema,
  type EscalateCase,
  escalateCaseSchema,
  type VersionAnswer,
} from '@thaw/contract/moderation';
import {
  type AppealOutcome,
  appealOutcomeSchema,
  type HouseRule,
  houseRuleSchema,
} from '@thaw/contract/safety';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

/** Options of @ApiProperty for each kind of text. */
const note = { minLength: 1, maxLength: limits.moderationNoteMaxCodePoints };
const facts = { minLength: limits.factsMinCodePoints, maxLength: limits.factsMaxCodePoints };

export class ClaimDto implements Claim {
  @ApiProperty({ type: 'integer', minimum: 1 })
  claimedBy: number;

  @ApiProperty({ format: 'date-time' })
  until: string;

  @ApiProperty({ type: 'integer' })
  version: number;
}
assertType<SameShape<ClaimDto, Claim>>();

export class VersionAnswerDto implements VersionAnswer {
  @ApiProperty({ type: 'integer' })
  version: number;
}
assertType<SameShape<VersionAnswerDto, VersionAnswer>>();

export class AddNoteDto implements AddNote {
  @ApiProperty(note)
  @MatchesSchema(addNoteSchema.shape.text)
  text: string;
}
assertType<SameShape<AddNoteDto, AddNote>>();

abstract class VersionedActDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'The version of the case that the moderator has seen',
  })
  @MatchesSchema(escalateCaseSchema.shape.version)
  version: number;
}

export class EscalateCaseDto extends VersionedActDto implements EscalateCase {
  @ApiProperty(note)
  @MatchesSchema(escalateCaseSchema.shape.reason)
  reason: string;
}
assertType<SameShape<EscalateCaseDto, EscalateCase>>();

/** The controller validates it with the schema of the contract, since its fields depend on each other. */
export class DecideCaseDto extends VersionedActDto implements DecideCase {
  @ApiProperty({ enum: caseOutcomeSchema.options })
  @MatchesSchema(decideCaseSchema.shape.outcome)
  outcome: CaseOutcome;

  @ApiPropertyOptional({ enum: houseRuleSchema.options, description: 'Required unless dismissed' })
  @MatchesSchema(decideCaseSchema.shape.rule)
  rule?: HouseRule | undefined;

  @ApiPropertyOptional({ ...facts, description: 'Shown to the user; required unless dismissed' })
  @MatchesSchema(decideCaseSchema.shape.facts)
  facts?: string | undefined;

  @ApiPropertyOptional({ format: 'date-time', description: 'Of a suspension only: 1 hour to 365 days ahead' })
  @MatchesSchema(decideCaseSchema.shape.until)
  until?: string | undefined;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer' },
    maxItems: limits.blockedImagesPerDecision,
    description: 'Images of the evidence that no user can upload any more; not when dismissed',
  })
  @MatchesSchema(decideCaseSchema.shape.blockImages)
  blockImages?: number[] | undefined;

  @ApiPropertyOptional({ ...note, description: 'For moderators' })
  @MatchesSchema(decideCaseSchema.shape.note)
  note?: string | undefined;
}
assertType<SameShape<DecideCaseDto, DecideCase>>();

export class ConfirmBanDto extends VersionedActDto implements ConfirmBan {
  @ApiProperty({ description: 'Whether the ban stands; otherwise it is lifted' })
  @MatchesSchema(confirmBanSchema.shape.isConfirmed)
  isConfirmed: boolean;

  @ApiPropertyOptional(facts)
  @MatchesSchema(confirmBanSchema.shape.facts)
  facts?: string | undefined;
}
assertType<SameShape<ConfirmBanDto, ConfirmBan>>();

/** The controller validates it with the schema of the contract, since its fields depend on each other. */
export class DecideAppealDto extends VersionedActDto implements DecideAppeal {
  @ApiProperty({ enum: appealOutcomeSchema.options })
  @MatchesSchema(decideAppealSchema.shape.outcome)
  outcome: AppealOutcome;

  @ApiPropertyOptional({ format: 'date-time', description: 'Of a reduced sanction only: its new end' })
  @MatchesSchema(decideAppealSchema.shape.until)
  until?: string | undefined;

  @ApiProperty({ ...facts, description: 'Shown to the appellant' })
  @MatchesSchema(decideAppealSchema.shape.answer)
  answer: string;
}
assertType<SameShape<DecideAppealDto, DecideAppeal>>();
