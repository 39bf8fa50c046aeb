import { ApiProperty } from '@nestjs/swagger';
import { type CaseOutcome, caseOutcomeSchema } from '@thaw/contract/moderation';
import {
  type AuditEntry,
  type AuditPage,
  type BlockedImage,
  type ModerationFigures,
  type ModeratorAction,
  moderatorActionSchema,
} from '@thaw/contract/moderation-records';
import { type HouseRule, houseRuleSchema } from '@thaw/contract/safety';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

export class BlockedImageDto implements BlockedImage {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ description: 'Of the file as it was sent, in hex' })
  sha256: string;

  @ApiProperty({ enum: houseRuleSchema.options })
  rule: HouseRule;

  @ApiProperty({ type: 'integer', nullable: true })
  caseId: number | null;

  @ApiProperty({ type: 'integer', minimum: 1 })
  moderatorId: number;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;
}
assertType<SameShape<BlockedImageDto, BlockedImage>>();

export class AuditEntryDto implements AuditEntry {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  moderatorId: number;

  @ApiProperty({ enum: moderatorActionSchema.options })
  action: ModeratorAction;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ type: 'integer', nullable: true })
  caseId: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  userId: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  imageId: number | null;
}
assertType<SameShape<AuditEntryDto, AuditEntry>>();

export class AuditPageDto implements AuditPage {
  @ApiProperty({ type: [AuditEntryDto], description: 'Newest first' })
  entries: AuditEntryDto[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}
assertType<SameShape<AuditPageDto, AuditPage>>();

class TimeToDecisionDto {
  @ApiProperty({ type: Number, nullable: true })
  p50: number | null;

  @ApiProperty({ type: Number, nullable: true })
  p95: number | null;
}

class DecisionCountDto {
  @ApiProperty({ enum: caseOutcomeSchema.options })
  outcome: CaseOutcome;

  @ApiProperty({ enum: ['moderator', 'automatic'] })
  by: 'moderator' | 'automatic';

  @ApiProperty({ type: 'integer' })
  count: number;
}

class AppealShareDto {
  @ApiProperty({ type: 'integer', description: 'Whose decisions were appealed' })
  moderatorId: number;

  @ApiProperty({ type: 'integer' })
  decided: number;

  @ApiProperty({ type: 'integer' })
  reversed: number;
}

export class ModerationFiguresDto implements ModerationFigures {
  @ApiProperty({ type: 'integer', description: 'Now' })
  openCases: number;

  @ApiProperty({ type: Number, nullable: true, description: 'Now' })
  oldestOpenCaseAgeS: number | null;

  @ApiProperty({ description: 'Of moderators, of the last 30 days' })
  timeToDecisionS: TimeToDecisionDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Of the last 30 days, as all other figures',
  })
  reportsByCategory: Record<string, number>;

  @ApiProperty({ type: [DecisionCountDto] })
  decisions: DecisionCountDto[];

  @ApiProperty({ type: [AppealShareDto] })
  appeals: AppealShareDto[];

  @ApiProperty()
  reportsPer1000Matches: number;

  @ApiProperty()
  blocksPer1000Matches: number;

  @ApiProperty({ type: 'integer', description: 'Users in care, now' })
  carePool: number;
}
assertType<SameShape<ModerationFiguresDto, ModerationFigures>>();
