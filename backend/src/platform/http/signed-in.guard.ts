import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isExcluded } from '@thaw/contract/safety';
import type { Request } from 'express';
import { DomainError } from '../errors/domain.errors';

const OPEN_TO_EXCLUDED = Symbol('OPEN_TO_EXCLUDED');

interface Opening {
  ownIdParameter?: string;
}

/**
 * Lets suspended and banned users use a route.
 * @param ownIdParameter the path parameter in which they have to give their own user id, if others' are allowed at all
 */
export const OpenToExcluded = (ownIdParameter?: string) =>
  SetMetadata<symbol, Opening>(OPEN_TO_EXCLUDED, { ownIdParameter });

/** Refuses users who are suspended or banned, except on routes with `OpenToExcluded`. @throws DomainError suspended */
@Injectable()
export class ExclusionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { user, params } = context.switchToHttp().getRequest<Request>();
    if (!user?.access || !isExcluded(user.access.standing)) return true;
    const opening = this.reflector.get<Opening | undefined>(OPEN_TO_EXCLUDED, context.getHandler());
    const isOpen =
      opening?.ownIdParameter === undefined
        ? opening !== undefined
        : params[opening.ownIdParameter] === String(user.userId);
    if (!isOpen) throw new DomainError('suspended');
    return true;
  }
}

/**
 * Admits requests whose cookie belongs to a valid login of a user who is not excluded.
 * @throws DomainError not_signed_in, suspended
 */
@Injectable()
export class SignedInGuard extends ExclusionGuard {
  override canActivate(context: ExecutionContext): boolean {
    if (!context.switchToHttp().getRequest<Request>().user) throw new DomainError('not_signed_in');
    return super.canActivate(context);
  }
}
