import { ApiProperty } from '@nestjs/swagger';
import { limits } from '@thaw/contract/limits';
import {
  type CaseOutcome,
  caseOutcomeSchema,
  type CaseState,
  caseStateSchema,
  type Hold,
  holdSchema,
  type LiftSanction,
  liftSanctionSchema,
  type ModeratedPerson,
  type Sanction,
} from '@thaw/contract/moderation';
import { type HouseRule, houseRuleSchema } from '@thaw/contract/safety';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';
import { StandingDto } from '../../users/transport/user.dto';

const reasonOptions = { minLength: 1, maxLength: limits.moderationNoteMaxCodePoints };

export class LiftSanctionDto implements LiftSanction {
  @ApiProperty(reasonOptions)
  @MatchesSchema(liftSanctionSchema.shape.reason)
  reason: string;
}
assertType<SameShape<LiftSanctionDto, LiftSanction>>();

/** Places a legal hold on a user, or lifts it. */
export class HoldDto implements Hold {
  @ApiProperty({ description: "Whether the erasure of the user's data is prevented" })
  @MatchesSchema(holdSchema.shape.isHeld)
  isHeld: boolean;

  @ApiProperty(reasonOptions)
  @MatchesSchema(holdSchema.shape.reason)
  reason: string;
}
assertType<SameShape<HoldDto, Hold>>();

export class SanctionDto implements Sanction {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ enum: ['suspended', 'banned'] })
  kind: 'suspended' | 'banned';

  @ApiProperty({ enum: houseRuleSchema.options })
  rule: HouseRule;

  @ApiProperty({ format: 'date-time' })
  from: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  until: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  liftedAt: string | null;

  @ApiProperty({ description: 'Whether the sanction was imposed without a moderator' })
  isAutomatic: boolean;

  @ApiProperty({ description: 'Whether the ban was confirmed in a second review; false for suspensions' })
  isConfirmed: boolean;

  @ApiProperty({ type: 'integer', nullable: true })
  caseId: number | null;
}
assertType<SameShape<SanctionDto, Sanction>>();

class PersonCaseDto {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ enum: caseStateSchema.options })
  state: CaseState;

  @ApiProperty({ format: 'date-time' })
  openedAt: string;

  @ApiProperty({ enum: caseOutcomeSchema.options, nullable: true })
  outcome: CaseOutcome | null;
}

/** Numbers of reports that the user has made. */
class ReportsMadeDto {
  @ApiProperty({ type: 'integer' })
  total: number;

  @ApiProperty({ type: 'integer' })
  decided: number;

  @ApiProperty({ type: 'integer', description: 'Decided reports that led to action' })
  upheld: number;
}

export class ModeratedPersonDto implements ModeratedPerson {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ description: 'Empty when the account was erased' })
  username: string;

  @ApiProperty()
  isAnonymous: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty()
  standing: StandingDto;

  @ApiProperty({ description: 'Whether the user is under a legal hold' })
  isHeld: boolean;

  @ApiProperty({ type: 'integer', description: 'Number of random chats' })
  matches: number;

  @ApiProperty()
  reportsPer100Matches: number;

  @ApiProperty({ type: [SanctionDto], description: 'Newest first' })
  sanctions: SanctionDto[];

  @ApiProperty({ type: [PersonCaseDto], description: 'Newest first' })
  cases: PersonCaseDto[];

  @ApiProperty()
  reportsMade: ReportsMadeDto;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: 'Ids of other accounts that were used on the same devices',
  })
  sameDeviceIds: number[];
}
assertType<SameShape<ModeratedPersonDto, ModeratedPerson>>();
