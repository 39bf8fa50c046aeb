import { ApiProperty } from '@nestjs/swagger';
import { setGenderSchema, type SetGender, type UpdateProfile, type UserResponse } from '@thaw/contract/http';
import { limits } from '@thaw/contract/limits';
import { type Gender, genderSchema } from '@thaw/contract/scalars';
import { type Standing, type StandingKind, standingKindSchema } from '@thaw/contract/safety';
import type { PublicUser, SelfUser } from '@thaw/contract/users';
import { IsString, ValidateIf } from 'class-validator';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';

const genders = genderSchema.options;

export class UpdateProfileDto implements UpdateProfile {
  // `parseUsername` checks the length, after it has normalised the name.
  @ApiProperty({ minLength: 1, maxLength: limits.usernameMaxCodePoints })
  @IsString()
  username: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null, or the URL of an image that the user uploaded into the bucket avatars',
  })
  @ValidateIf((_, value) => value !== null)
  @IsString()
  avatar: string | null;
}
assertType<SameShape<UpdateProfileDto, UpdateProfile>>();

export class SetGenderDto implements SetGender {
  @ApiProperty({ enum: genders })
  @MatchesSchema(setGenderSchema.shape.gender)
  gender: Gender;
}
assertType<SameShape<SetGenderDto, SetGender>>();

export class PublicUserDto implements PublicUser {
  @ApiProperty({ type: 'integer', minimum: 1 })
  id: number;

  @ApiProperty()
  username: string;

  @ApiProperty({ type: String, nullable: true })
  avatar: string | null;

  @ApiProperty()
  isOnline: boolean;
}
assertType<SameShape<PublicUserDto, PublicUser>>();

export class StandingDto implements Standing {
  @ApiProperty({ enum: standingKindSchema.options })
  kind: StandingKind;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  since: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  until: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The id of the notice that explains the standing',
  })
  noticeId: number | null;
}
assertType<SameShape<StandingDto, Standing>>();

export class SelfUserDto extends PublicUserDto implements SelfUser {
  @ApiProperty({ type: String, nullable: true })
  email: string | null;

  @ApiProperty({ enum: genders, nullable: true })
  gender: Gender | null;

  @ApiProperty()
  isAnonymous: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty()
  isModerator: boolean;

  @ApiProperty()
  standing: StandingDto;
}
assertType<SameShape<SelfUserDto, SelfUser>>();

export class UserResponseDto implements UserResponse {
  @ApiProperty()
  user: SelfUserDto;
}
assertType<SameShape<UserResponseDto['user'], UserResponse['user']>>();
