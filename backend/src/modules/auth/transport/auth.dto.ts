import { ApiProperty } from '@nestjs/swagger';
import {
  type ChangeEmail,
  type ChangePassword,
  type ConvertAnonymous,
  convertAnonymousSchema,
  type Credentials,
  credentialsSchema,
} from '@thaw/contract/http';
import { limits } from '@thaw/contract/limits';
import { MatchesSchema } from '../../../platform/http/matches-schema.decorator';
import { assertType, type SameShape } from '../../../platform/http/same-shape.types';
import { IsWellFormedPassword, IsPassword } from './password.decorator';

const emailProperty = { format: 'email', maxLength: limits.emailMaxLength };
const passwordProperty = {
  format: 'password',
  minLength: limits.passwordMinLength,
  maxLength: limits.passwordMaxLength,
};

/**
 * A current password may have any length: one of the wrong length is a wrong password, not an invalid body.
 * `IsWellFormedPassword` therefore checks only that it is a valid string.
 */
const currentPasswordProperty = { format: 'password' };

export class CredentialsDto implements Credentials {
  @ApiProperty(emailProperty)
  @MatchesSchema(credentialsSchema.shape.email)
  email: string;

  @ApiProperty(passwordProperty)
  @IsPassword()
  password: string;
}
assertType<SameShape<CredentialsDto, Credentials>>();

export class ConvertAnonymousDto extends CredentialsDto implements ConvertAnonymous {
  /** The id of the caller. Any other id is refused with `forbidden`. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  @MatchesSchema(convertAnonymousSchema.shape.userId)
  userId: number;
}
assertType<SameShape<ConvertAnonymousDto, ConvertAnonymous>>();

export class ChangeEmailDto implements ChangeEmail {
  @ApiProperty(emailProperty)
  @MatchesSchema(credentialsSchema.shape.email)
  newEmail: string;

  @ApiProperty(currentPasswordProperty)
  @IsWellFormedPassword()
  currentPassword: string;
}
assertType<SameShape<ChangeEmailDto, ChangeEmail>>();

export class ChangePasswordDto implements ChangePassword {
  @ApiProperty(currentPasswordProperty)
  @IsWellFormedPassword()
  currentPassword: string;

  @ApiProperty(passwordProperty)
  @IsPassword()
  newPassword: string;
}
assertType<SameShape<ChangePasswordDto, ChangePassword>>();

export class SuccessDto {
  @ApiProperty({ enum: [true] })
  success: true;
}
