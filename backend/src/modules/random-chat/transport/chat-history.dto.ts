import { ApiProperty } from '@nestjs/swagger';
import type { ChatHistoryEntry } from '@thaw/contract/http';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

export class ChatHistoryEntryDto implements ChatHistoryEntry {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  user1Id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  user2Id: number;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  reportableUntil: string | null;
}
assertType<SameShape<ChatHistoryEntryDto, ChatHistoryEntry>>();
