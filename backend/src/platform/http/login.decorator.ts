import type { Request } from 'express';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';

/** Who asks: a user, by one of his logins. A login's family survives the rotation of its session id. */
export interface Login {
  userId: number;
  familyId: string;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- how Passport lets the type of `request.user` be said
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface User extends Login {}
  }
}

/** The login of a request that has passed `SignedInGuard`. */
export const CurrentLogin = createParamDecorator((_: unknown, context: ExecutionContext): Login => {
  const { user } = context.switchToHttp().getRequest<Request>();
  if (!user) throw new DomainError('not_signed_in');
  return user;
});

/** @throws DomainError forbidden when an id that should be one's own is somebody else's (A01, A13). */
export const requireSelf = (login: Login, userId: number): void => {
  if (login.userId !== userId) throw new DomainError('forbidden');
};
