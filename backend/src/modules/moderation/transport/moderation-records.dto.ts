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

  @ApiProperty({ description: 'SHA-256 of the file as uploaded, in hex' })
  sha256: string;

  @ApiProperty({ enum: houseRuleSchema.options })
  rule: HouseRule;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The case whose decision blocked the image' })
  caseId: number | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'The moderator who blocked the image' })
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

  @ApiProperty({ type: 'integer', nullable: true, description: 'The user whom the action concerns' })
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

/** Percentiles in seconds; null without decisions. */
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

class AppealCountsDto {
  @ApiProperty({ type: 'integer', description: 'The moderator whose decisions were appealed' })
  moderatorId: number;

  @ApiProperty({ type: 'integer', description: 'Number of appeals that were decided' })
  decided: number;

  @ApiProperty({ type: 'integer', description: 'Number of those that reversed the decision' })
  reversed: number;
}

/** Statistics over the last 30 days, except the fields that are described as current. */
export class ModerationFiguresDto implements ModerationFigures {
  @ApiProperty({ type: 'integer', description: 'Current number of cases that wait for a moderator' })
  openCases: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'Current waiting time of the case that has waited longest, in seconds; null when no case waits',
  })
  oldestOpenCaseAgeS: number | null;

  @ApiProperty({ description: 'From opening a case until a moderator decided it, over the last 30 days' })
  timeToDecisionS: TimeToDecisionDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of reports by category, over the last 30 days',
  })
  reportsByCategory: Record<string, number>;

  @ApiProperty({ type: [DecisionCountDto], description: 'Over the last 30 days' })
  decisions: DecisionCountDto[];

  @ApiProperty({ type: [AppealCountsDto], description: 'Over the last 30 days' })
  appeals: AppealCountsDto[];

  @ApiProperty({ description: 'Over the last 30 days' })
  reportsPer1000Matches: number;

  @ApiProperty({ description: 'Over the last 30 days' })
  blocksPer1000Matches: number;

  @ApiProperty({
    type: 'integer',
    description: 'Current number of flagged users, who are matched only with each other (the care pool)',
  })
  carePool: number;
}
assertType<SameShape<ModerationFiguresDto, ModerationFigures>>();
