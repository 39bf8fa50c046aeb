import { ApiProperty } from '@nestjs/swagger';
import type { PrivateMessage, PrivateReaction } from '@thaw/contract/private-chat';
import { type MessageType, messageTypeSchema } from '@thaw/contract/scalars';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

type Reply = NonNullable<PrivateMessage['metadata']['replyTo']>;

export class PrivateReactionDto implements PrivateReaction {
  @ApiProperty()
  emoji: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  userId: number;
}
assertType<SameShape<PrivateReactionDto, PrivateReaction>>();

export class PrivateReplyDto implements Reply {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ description: 'The beginning of the quoted message; empty for a deleted one' })
  content: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  senderId: number;

  @ApiProperty()
  senderName: string;
}
assertType<SameShape<PrivateReplyDto, Reply>>();

export class PrivateMessageMetadataDto {
  @ApiProperty({ type: PrivateReplyDto, nullable: true })
  replyTo: PrivateReplyDto | null;
}

export class PrivateMessageDto implements PrivateMessage {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  senderId: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  receiverId: number;

  @ApiProperty({ description: 'Empty for a deleted message' })
  content: string;

  @ApiProperty({ enum: messageTypeSchema.options })
  type: MessageType;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty()
  isEdited: boolean;

  @ApiProperty()
  isDeleted: boolean;

  @ApiProperty({ type: [PrivateReactionDto] })
  reactions: PrivateReactionDto[];

  @ApiProperty()
  metadata: PrivateMessageMetadataDto;
}
// `metadata` is left out: `implements` checks its type, and the shape of its `replyTo` is compared above.
assertType<SameShape<Omit<PrivateMessageDto, 'metadata'>, Omit<PrivateMessage, 'metadata'>>>();
