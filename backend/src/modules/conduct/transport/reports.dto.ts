import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { limits } from '@thaw/contract/limits';
import {
  type FileReport,
  fileReportSchema,
  type Report,
  type ReportCategory,
  reportCategorySchema,
  reportOutcomeSchema,
  reportSchema,
} from '@thaw/contract/safety';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

const { shape } = fileReportSchema;

export class FileReportDto implements FileReport {
  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(shape.reporterId)
  reporterId: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(shape.targetId)
  targetId: number;

  @ApiProperty({ enum: reportCategorySchema.options })
  @MatchesSchema(shape.category)
  category: ReportCategory;

  @ApiPropertyOptional({ maxLength: limits.reportWordsMaxCodePoints })
  @MatchesSchema(shape.words)
  words?: string;

  @ApiPropertyOptional({ description: 'The session of a random chat' })
  @MatchesSchema(shape.sessionId)
  sessionId?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description:
      'A random chat, by its entry in the history. Without this and `sessionId`, the private chat is reported',
  })
  @MatchesSchema(shape.historyId)
  historyId?: number;

  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    maxItems: limits.markedMessagesPerReport,
    description: 'Messages to mark in the evidence: strings in a random chat, integers in a private chat',
  })
  @MatchesSchema(shape.messageIds)
  messageIds?: (string | number)[];

  @ApiPropertyOptional()
  @MatchesSchema(shape.alsoBlock)
  alsoBlock?: boolean;
}
assertType<SameShape<FileReportDto, FileReport>>();

export class ReportDto implements Report {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ enum: reportCategorySchema.options })
  category: ReportCategory;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ enum: reportSchema.shape.state.options })
  state: Report['state'];

  @ApiProperty({ type: String, enum: reportOutcomeSchema.options, nullable: true })
  outcome: Report['outcome'];

  @ApiProperty({ description: 'Whether the reporter has blocked the reported user' })
  blocked: boolean;
}
assertType<SameShape<ReportDto, Report>>();
