import { ApiProperty } from '@nestjs/swagger';
import {
  type CaseHistoryEntry,
  type CaseItem,
  type CaseKind,
  caseKindSchema,
  type CasePage,
  type CaseReport,
  type CaseState,
  caseStateSchema,
  type EvidenceMessage,
  type ModerationCase,
  type UrgencyParts,
} from '@thaw/contract/moderation';
import {
  type ReportCategory,
  reportCategorySchema,
  type StandingKind,
  standingKindSchema,
} from '@thaw/contract/safety';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

/** A case waits while a moderator has to decide it, to answer an appeal against it, or to confirm its ban. */
export class CaseItemDto implements CaseItem {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({
    enum: caseStateSchema.options,
    description: 'A decided case that waits again, for an appeal or a confirmation, is open',
  })
  state: CaseState;

  @ApiProperty({
    type: 'integer',
    description: "Version of the user's conduct stream; a request that changes the case must contain it",
  })
  version: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 1_000,
    description: 'The higher, the more urgent; 0 when the case does not wait',
  })
  urgency: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  userId: number;

  @ApiProperty({ description: 'Empty when the account was erased' })
  username: string;

  @ApiProperty()
  isAnonymous: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'Number of reports by category',
  })
  categories: Record<string, number>;

  @ApiProperty({
    type: 'integer',
    description: 'Number of distinct reporters, without those whose reports have weight 0',
  })
  reporters: number;

  @ApiProperty({
    type: 'integer',
    description: "Number of the user's sanctions of the last 365 days from other cases, without lifted ones",
  })
  priors: number;

  @ApiProperty({ description: 'Whether the case has an automatic finding or an automatic sanction' })
  isAutomatic: boolean;

  @ApiProperty({
    enum: caseKindSchema.options,
    description: 'The gravest reason why the case waits; if it does not wait, why it was opened',
  })
  kind: CaseKind;

  @ApiProperty({ format: 'date-time', description: 'When the case began to wait for a moderator' })
  openedAt: string;

  @ApiProperty({
    enum: standingKindSchema.options,
    description: 'What moderation allows the user at present',
  })
  standing: StandingKind;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Id of the moderator who alone can decide the case at present; null for none',
  })
  claimedBy: number | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the claim expires; null without a claim',
  })
  claimedUntil: string | null;
}
assertType<SameShape<CaseItemDto, CaseItem>>();

export class CasePageDto implements CasePage {
  @ApiProperty({ type: [CaseItemDto] })
  cases: CaseItemDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Null on the last page' })
  nextCursor: string | null;
}
assertType<SameShape<CasePageDto, CasePage>>();

/** The urgency of a case is the sum of these points, limited to 1,000, and then halved if `isHalved`. */
export class UrgencyPartsDto implements UrgencyParts {
  @ApiProperty({ type: 'integer', description: 'Points of the gravest reason why the case waits' })
  base: number;

  @ApiProperty({ type: 'integer', description: 'Points for each reporter of weight 1 after the first' })
  reporters: number;

  @ApiProperty({ type: 'integer', description: 'Points for earlier sanctions' })
  priors: number;

  @ApiProperty({ type: 'integer', description: 'Points for an automatic finding or sanction' })
  automatic: number;

  @ApiProperty({ type: 'integer', description: 'Points for each full hour of waiting' })
  waiting: number;

  @ApiProperty({ description: 'Whether the case waits because of reports that all have weight 0' })
  isHalved: boolean;
}
assertType<SameShape<UrgencyPartsDto, UrgencyParts>>();

/** How many of a reporter's reports were decided, and how many of those were upheld. */
class AccuracyDto {
  @ApiProperty({ type: 'integer' })
  decided: number;

  @ApiProperty({ type: 'integer', description: 'Decided reports that led to action' })
  upheld: number;
}

export class CaseReportDto implements CaseReport {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  reporterId: number;

  @ApiProperty({ enum: reportCategorySchema.options })
  category: ReportCategory;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The reporter's own words; null if there are none or they were erased",
  })
  words: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({
    enum: [0, 1],
    description: '0 if the reporter was suspended, banned or unreliable (most of their reports dismissed)',
  })
  weight: 0 | 1;

  @ApiProperty()
  accuracy: AccuracyDto;
}
assertType<SameShape<CaseReportDto, CaseReport>>();

class EvidencePersonDto {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty()
  username: string;
}

class EvidenceImageDto {
  @ApiProperty({ type: 'integer', minimum: 1 })
  imageId: number;

  @ApiProperty({ type: 'integer' })
  width: number;

  @ApiProperty({ type: 'integer' })
  height: number;
}

export class EvidenceMessageDto implements EvidenceMessage {
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description: 'A string in a random chat, an integer in a private chat',
  })
  id: string | number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  senderId: number;

  @ApiProperty({ format: 'date-time', description: 'When the message was sent' })
  at: string;

  @ApiProperty({ enum: ['text', 'image', 'mixed'] })
  type: 'text' | 'image' | 'mixed';

  @ApiProperty({ type: [String], description: 'Texts of all versions, oldest first' })
  versions: string[];

  @ApiProperty({ description: 'Whether the reporter marked the message' })
  isMarked: boolean;

  @ApiProperty({ type: [EvidenceImageDto] })
  images: EvidenceImageDto[];
}
assertType<SameShape<EvidenceMessageDto, EvidenceMessage>>();

type CaseEvidence = ModerationCase['evidence'][number];

export class CaseEvidenceDto implements CaseEvidence {
  @ApiProperty({ enum: ['random_chat', 'private_chat'] })
  source: 'random_chat' | 'private_chat';

  @ApiProperty({ type: String, nullable: true, description: 'Null for a private chat' })
  sessionId: string | null;

  @ApiProperty({ type: [EvidencePersonDto] })
  people: EvidencePersonDto[];

  @ApiProperty({ type: [EvidenceMessageDto] })
  messages: EvidenceMessageDto[];

  @ApiProperty({ type: 'integer', description: 'Number of messages of the chat that are not included' })
  omitted: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null for an automatic finding' })
  reportId: number | null;
}
assertType<SameShape<CaseEvidenceDto, CaseEvidence>>();

export class ModerationCaseDto extends CaseItemDto implements ModerationCase {
  @ApiProperty()
  urgencyParts: UrgencyPartsDto;

  @ApiProperty({ type: [CaseReportDto] })
  reports: CaseReportDto[];

  @ApiProperty({ type: [CaseEvidenceDto], description: 'Evidence that was not erased' })
  evidence: CaseEvidenceDto[];

  @ApiProperty({
    type: 'array',
    description: 'Oldest first. Further fields depend on the kind. Erased texts are null.',
    items: {
      type: 'object',
      required: ['kind', 'at'],
      properties: {
        kind: {
          enum: [
            'opened',
            'note',
            'escalated',
            'decision',
            'sanction',
            'confirmed',
            'lifted',
            'flagged',
            'flag_lifted',
            'appeal',
            'appeal_decided',
          ] satisfies CaseHistoryEntry['kind'][],
        },
        at: { type: 'string', format: 'date-time' },
      },
      additionalProperties: true,
    },
  })
  history: CaseHistoryEntry[];

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description:
      'Ids of moderators who may not decide the case, because they are involved in it or in its last decision',
  })
  excludes: number[];
}
assertType<SameShape<ModerationCaseDto, ModerationCase>>();
