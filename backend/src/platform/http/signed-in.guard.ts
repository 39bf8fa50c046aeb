import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isExcluded } from '@thaw/contract/safety';
import type { Request } from 'express';
import { DomainError } from '../errors/domain.errors';

/** Metadata of routes that excluded users may use. Excluded means suspended or banned. */
const OPEN_TO_EXCLUDED = Symbol('OPEN_TO_EXCLUDED');

interface OpenRoute {
  ownIdParameter?: string;
}

/**
 * Lets suspended and banned users use a route.
 * @param ownIdParameter the path parameter that must be their own user id, for routes that also serve other users' ids
 */
export const OpenToExcluded = (ownIdParameter?: string) =>
  SetMetadata<symbol, OpenRoute>(OPEN_TO_EXCLUDED, { ownIdParameter });

/**
 * Refuses users who are suspended or banned, except on routes with `OpenToExcluded`. Admits requests without a login.
 * @throws DomainError suspended
 */
@Injectable()
export class ExclusionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { user, params } = context.switchToHttp().getRequest<Request>();
    // `access` is always set here if there is a user: it is absent only after a request has begun a new login.
    if (!user?.access || !isExcluded(user.access.standing)) return true;
    const openRoute = this.reflector.get<OpenRoute | undefined>(OPEN_TO_EXCLUDED, context.getHandler());
    if (!openRoute) throw new DomainError('suspended');
    const { ownIdParameter } = openRoute;
    const isOpen = ownIdParameter === undefined || params[ownIdParameter] === String(user.userId);
    if (!isOpen) throw new DomainError('suspended');
    return true;
  }
}

/**
 * Admits requests whose cookie belongs to a valid login. Refuses excluded users like `ExclusionGuard`.
 * @throws DomainError not_signed_in, suspended
 */
@Injectable()
export class SignedInGuard extends ExclusionGuard {
  override canActivate(context: ExecutionContext): boolean {
    if (!context.switchToHttp().getRequest<Request>().user) throw new DomainError('not_signed_in');
    return super.canActivate(context);
  }
}
