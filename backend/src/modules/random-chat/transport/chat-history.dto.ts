import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ChatHistoryEntry } from '@thaw/contract/http';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

export class ChatHistoryEntryDto implements ChatHistoryEntry {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  user1Id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  user2Id: number;

  @ApiProperty({ format: 'date-time', description: 'Start of the chat' })
  createdAt: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until when the chat can be reported; null while the end of the chat is not known',
  })
  reportableUntil: string | null;

  @ApiPropertyOptional({ description: 'false after a chat that was ended for safety; absent otherwise' })
  mayBecomeFriends?: boolean;
}
assertType<SameShape<ChatHistoryEntryDto, ChatHistoryEntry>>();
