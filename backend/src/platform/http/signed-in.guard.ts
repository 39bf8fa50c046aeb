import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../errors/domain.errors';

/** Admits requests whose cookie belongs to a valid login. @throws DomainError not_signed_in otherwise. */
@Injectable()
export class SignedInGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!context.switchToHttp().getRequest<Request>().user) throw new DomainError('not_signed_in');
    return true;
  }
}
