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
  type DecideCase,
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

/** Options of @ApiProperty for texts that only moderators read (notes), and for texts to the user (facts). */
const noteOptions = { minLength: 1, maxLength: limits.moderationNoteMaxCodePoints };
const factsOptions = { minLength: limits.factsMinCodePoints, maxLength: limits.factsMaxCodePoints };

export class ClaimDto implements Claim {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Id of the moderator' })
  claimedBy: number;

  @ApiProperty({ format: 'date-time', description: 'End of the claim' })
  until: string;

  @ApiProperty({ type: 'integer', description: 'Version of the case after the claim' })
  version: number;
}
assertType<SameShape<ClaimDto, Claim>>();

export class VersionAnswerDto implements VersionAnswer {
  @ApiProperty({ type: 'integer', description: 'Version of the case after the act' })
  version: number;
}
assertType<SameShape<VersionAnswerDto, VersionAnswer>>();

export class AddNoteDto implements AddNote {
  @ApiProperty(noteOptions)
  @MatchesSchema(addNoteSchema.shape.text)
  text: string;
}
assertType<SameShape<AddNoteDto, AddNote>>();

/** The body of an act that is refused when the case has changed since the moderator read it. */
abstract class VersionedActDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'The version of the case that the moderator has seen',
  })
  // The schemas of all versioned acts have the same `version`. Any of them could be used here.
  @MatchesSchema(escalateCaseSchema.shape.version)
  version: number;
}

export class EscalateCaseDto extends VersionedActDto implements EscalateCase {
  @ApiProperty(noteOptions)
  @MatchesSchema(escalateCaseSchema.shape.reason)
  reason: string;
}
assertType<SameShape<EscalateCaseDto, EscalateCase>>();

/** The fields depend on each other, so the controller validates the body with `decideCaseSchema` as a whole. */
export class DecideCaseDto extends VersionedActDto implements DecideCase {
  @ApiProperty({ enum: caseOutcomeSchema.options })
  outcome: CaseOutcome;

  @ApiPropertyOptional({
    enum: houseRuleSchema.options,
    description: 'Required unless the outcome is dismissed',
  })
  rule?: HouseRule | undefined;

  @ApiPropertyOptional({
    ...factsOptions,
    description: 'Shown to the user; required unless the outcome is dismissed',
  })
  facts?: string | undefined;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'End of a suspension, 1 hour to 365 days ahead; absent with every other outcome',
  })
  until?: string | undefined;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer' },
    maxItems: limits.blockedImagesPerDecision,
    description: 'Ids of images in the evidence to block for all users; empty if the outcome is dismissed',
  })
  blockImages?: number[] | undefined;

  @ApiPropertyOptional({ ...noteOptions, description: 'Shown to moderators only' })
  note?: string | undefined;
}
assertType<SameShape<DecideCaseDto, DecideCase>>();

export class ConfirmBanDto extends VersionedActDto implements ConfirmBan {
  @ApiProperty({ description: 'Whether the ban stands; otherwise it is lifted' })
  @MatchesSchema(confirmBanSchema.shape.isConfirmed)
  isConfirmed: boolean;

  // If the ban is lifted, the notice to the user states the facts as the reason.
  @ApiPropertyOptional(factsOptions)
  @MatchesSchema(confirmBanSchema.shape.facts)
  facts?: string | undefined;
}
assertType<SameShape<ConfirmBanDto, ConfirmBan>>();

/** The fields depend on each other, so the controller validates the body with `decideAppealSchema` as a whole. */
export class DecideAppealDto extends VersionedActDto implements DecideAppeal {
  @ApiProperty({ enum: appealOutcomeSchema.options })
  outcome: AppealOutcome;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'New end of a reduced sanction; absent with every other outcome',
  })
  until?: string | undefined;

  @ApiProperty({ ...factsOptions, description: 'Shown to the appellant' })
  answer: string;
}
assertType<SameShape<DecideAppealDto, DecideAppeal>>();
