import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { DomainError } from '../../../platform/errors/domain.errors';
import { toValidDto } from '../../../platform/http/body.pipe';
import type { VerifiedUser } from '../application/verified-user.types';
import { CredentialsDto } from './auth.dto';

type VerifiedRequest = Request & { verifiedUser?: VerifiedUser };

/**
 * Validates the body and verifies its e-mail and password. Sets `request.verifiedUser`, and leaves `request.user`, the
 * signed-in user, unchanged.
 */
@Injectable()
export class PasswordGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    // Guards run before pipes, so a pipe would validate the body too late.
    await toValidDto(CredentialsDto, context.switchToHttp().getRequest<Request>().body);
    return (await super.canActivate(context)) as boolean;
  }

  /** @returns `property`, the name of the field of the request to which Passport assigns the verified user. */
  override getAuthenticateOptions(): { property: string } {
    return { property: 'verifiedUser' };
  }
}

/** Injects the user whose password `PasswordGuard` has verified. */
export const UserVerifiedByPassword = createParamDecorator(
  (_: unknown, context: ExecutionContext): VerifiedUser => {
    const { verifiedUser } = context.switchToHttp().getRequest<VerifiedRequest>();
    // Missing only if the route lacks `PasswordGuard`.
    if (!verifiedUser) throw new DomainError('invalid_credentials');
    return verifiedUser;
  },
);
