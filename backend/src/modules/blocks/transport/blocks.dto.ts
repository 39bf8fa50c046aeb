import { ApiProperty } from '@nestjs/swagger';
import { type Block, type BlockedUser, type BlockUser, blockUserSchema } from '@thaw/contract/safety';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

export class BlockUserDto implements BlockUser {
  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(blockUserSchema.shape.blockerId)
  blockerId: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(blockUserSchema.shape.blockedId)
  blockedId: number;
}
assertType<SameShape<BlockUserDto, BlockUser>>();

export class BlockDto implements Block {
  @ApiProperty({ type: 'integer', minimum: 1 })
  blockedId: number;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;
}
assertType<SameShape<BlockDto, Block>>();

export class BlockedUserDto extends BlockDto implements BlockedUser {
  @ApiProperty()
  username: string;

  @ApiProperty({ type: String, nullable: true })
  avatar: string | null;
}
assertType<SameShape<BlockedUserDto, BlockedUser>>();
