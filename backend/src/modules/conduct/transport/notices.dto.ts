import { ApiProperty } from '@nestjs/swagger';
import {
  type AgeAnswer,
  ageAnswerSchema,
  type Appeal,
  type AppealOutcome,
  appealOutcomeSchema,
  type FileAppeal,
  fileAppealSchema,
  type HouseRule,
  houseRuleSchema,
  type Notice,
  type NoticeKind,
  noticeKindSchema,
  type ReadNotice,
  readNoticeSchema,
  type ReportCategory,
  reportCategorySchema,
  reportOutcomeSchema,
} from '@thaw/contract/safety';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

/** Where conduct can take place. */
const places = ['random_chat', 'private_chat', 'profile', 'account'] as const;
/**
 * `none`: the notice cannot be appealed. `possible`: the user can file an appeal. `open`: the user has filed one, which
 * is not decided yet. `over`: the period for an appeal has ended without one.
 */
const appealStates = ['none', 'possible', 'open', 'decided', 'over'] as const;

export class NoticeAboutDto {
  @ApiProperty({ enum: places })
  where: (typeof places)[number];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: "When the user's conduct took place",
  })
  at: string | null;
}
assertType<SameShape<NoticeAboutDto, NonNullable<Notice['about']>>>();

export class NoticeAppealDto {
  @ApiProperty({ enum: appealStates })
  state: (typeof appealStates)[number];

  /** End of the period for an appeal; null for a notice that cannot be appealed. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  until: string | null;

  @ApiProperty({ enum: appealOutcomeSchema.options, nullable: true })
  outcome: AppealOutcome | null;

  @ApiProperty({ type: String, nullable: true, description: 'The text of the deciding moderator' })
  answer: string | null;
}
assertType<SameShape<NoticeAppealDto, Notice['appeal']>>();

export class NoticeReportDto {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ enum: reportCategorySchema.options })
  category: ReportCategory;

  @ApiProperty({ enum: reportOutcomeSchema.options })
  outcome: NonNullable<Notice['report']>['outcome'];
}
assertType<SameShape<NoticeReportDto, NonNullable<Notice['report']>>>();

/**
 * A message to one user about a decision that concerns them: what was decided (`kind`), why (`rule`, `facts` and
 * `about`), and the period of a restriction (`from` and `until`).
 */
export class NoticeDto implements Notice {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ enum: noticeKindSchema.options })
  kind: NoticeKind;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  seenAt: string | null;

  @ApiProperty({ enum: houseRuleSchema.options, nullable: true })
  rule: HouseRule | null;

  @ApiProperty({ type: String, nullable: true })
  facts: string | null;

  @ApiProperty({ type: NoticeAboutDto, nullable: true })
  about: NoticeAboutDto | null;

  @ApiProperty({ enum: ['moderator', 'automatic'] })
  decidedBy: 'moderator' | 'automatic';

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Start of the restriction' })
  from: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'End of the restriction' })
  until: string | null;

  @ApiProperty()
  appeal: NoticeAppealDto;

  @ApiProperty({ type: NoticeReportDto, nullable: true, description: 'In report_decided only' })
  report: NoticeReportDto | null;
}
assertType<SameShape<NoticeDto, Notice>>();

/** The request that marks a notice as read. For a notice of the kind `age_question`, it can also answer it. */
export class ReadNoticeDto implements ReadNotice {
  @ApiProperty({ enum: [true] })
  @MatchesSchema(readNoticeSchema.shape.seen)
  seen: true;

  @ApiProperty({ enum: ageAnswerSchema.options, required: false, description: 'For age_question only' })
  @MatchesSchema(readNoticeSchema.shape.answer)
  answer?: AgeAnswer;
}
assertType<SameShape<ReadNoticeDto, ReadNotice>>();

/** The request that files an appeal; `words` is its text. */
export class FileAppealDto implements FileAppeal {
  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(fileAppealSchema.shape.userId)
  userId: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(fileAppealSchema.shape.noticeId)
  noticeId: number;

  @ApiProperty({ description: '1 to 2,000 code points' })
  @MatchesSchema(fileAppealSchema.shape.words)
  words: string;
}
assertType<SameShape<FileAppealDto, FileAppeal>>();

export class AppealDto implements Appeal {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  noticeId: number;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ enum: ['open'] })
  state: 'open';
}
assertType<SameShape<AppealDto, Appeal>>();
