import { ApiProperty } from '@nestjs/swagger';
import {
  type AnswerFriendRequest,
  answerFriendRequestSchema,
  type FriendRequest,
  type FriendRequestStatus,
  friendRequestStatusSchema,
  type SendFriendRequest,
  sendFriendRequestSchema,
} from '@thaw/contract/friends';
import type { LastMessage } from '@thaw/contract/last-message';
import { type MessageType, messageTypeSchema } from '@thaw/contract/scalars';
import type { Friend } from '@thaw/contract/users';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';
import { PublicUserDto } from '../../users/transport/user.dto';

export class SendFriendRequestDto implements SendFriendRequest {
  // Must be the id of the signed-in user, which the controller checks.
  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(sendFriendRequestSchema.shape.requesterId)
  requesterId: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(sendFriendRequestSchema.shape.addresseeId)
  addresseeId: number;
}
assertType<SameShape<SendFriendRequestDto, SendFriendRequest>>();

export class AnswerFriendRequestDto implements AnswerFriendRequest {
  @ApiProperty({ enum: answerFriendRequestSchema.shape.status.options })
  @MatchesSchema(answerFriendRequestSchema.shape.status)
  status: 'accepted' | 'declined';
}
assertType<SameShape<AnswerFriendRequestDto, AnswerFriendRequest>>();

export class FriendRequestDto implements FriendRequest {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  requesterId: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  addresseeId: number;

  @ApiProperty({ enum: friendRequestStatusSchema.options })
  status: FriendRequestStatus;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;
}
assertType<SameShape<FriendRequestDto, FriendRequest>>();

export class LastMessageDto implements LastMessage {
  @ApiProperty({ type: 'integer', minimum: 1 })
  senderId: number;

  @ApiProperty({ description: 'At most 80 code points; empty for an image or a deleted message' })
  preview: string;

  @ApiProperty({ enum: messageTypeSchema.options })
  type: MessageType;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;
}
assertType<SameShape<LastMessageDto, LastMessage>>();

export class FriendDto extends PublicUserDto implements Friend {
  @ApiProperty({ type: LastMessageDto, nullable: true })
  lastMessage: LastMessageDto | null;
}
assertType<SameShape<FriendDto, Friend>>();
