import type { Standing } from '@thaw/contract/safety';
import type { Request } from 'express';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';

/** The user and the login of a request. */
export interface Login {
  userId: number;
  /**
   * Identifies the family: the session ids that replace one another in the cookie of this login. A change of the
   * password or e-mail address starts a new family.
   */
  familyId: string;
}

/** What a signed-in user may do. It is read from the database together with the session. */
export interface Access {
  /** The restrictions in force for the user, such as a suspension. */
  standing: Standing;
  isModerator: boolean;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Passport requires it for the type of `request.user`
  namespace Express {
    interface User extends Login {
      /** Always set while guards run. Absent only after the handler of this request has begun a new login. */
      access?: Access;
    }
  }
}

/**
 * Injects the login of a request that has passed `SignedInGuard`.
 * @throws DomainError not_signed_in for a request without a login.
 */
export const CurrentLogin = createParamDecorator((_: unknown, context: ExecutionContext): Login => {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new DomainError('not_signed_in');
  return user;
});

/**
 * Checks that a user id in the request is that of the signed-in user.
 * @throws DomainError forbidden if it is not.
 */
export const requireSelf = (login: Login, userId: number): void => {
  if (login.userId !== userId) throw new DomainError('forbidden');
};
