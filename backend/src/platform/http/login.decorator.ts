import type { Standing } from '@thaw/contract/safety';
import type { Request } from 'express';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';

/** The user and the login of a request. */
export interface Login {
  userId: number;
  /** Identifies the login. The session id in the cookie is rotated; the ids of one login form a family. */
  familyId: string;
}

/** What a signed-in user may do, as read together with the session. */
export interface Access {
  standing: Standing;
  isModerator: boolean;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Passport requires it for the type of `request.user`
  namespace Express {
    interface User extends Login {
      /** Absent once the request has begun another login, which is after its guards have run. */
      access?: Access;
    }
  }
}

/** Injects the login of a request that has passed `SignedInGuard`. @throws DomainError not_signed_in without one. */
export const CurrentLogin = createParamDecorator((_: unknown, context: ExecutionContext): Login => {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new DomainError('not_signed_in');
  return user;
});

/** @throws DomainError forbidden if `userId` is not the id of the signed-in user (A01, A13). */
export const requireSelf = (login: Login, userId: number): void => {
  if (login.userId !== userId) throw new DomainError('forbidden');
};
