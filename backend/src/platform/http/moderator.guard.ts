import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../errors/domain.errors';
import { SignedInGuard } from './signed-in.guard';

/**
 * Admits moderators only. Guards run before pipes, so the requests of other users are refused without validation.
 * @throws DomainError not_signed_in, suspended, forbidden
 */
@Injectable()
export class ModeratorGuard extends SignedInGuard {
  override canActivate(context: ExecutionContext): boolean {
    super.canActivate(context);
    const { user } = context.switchToHttp().getRequest<Request>();
    if (!user?.access?.isModerator) throw new DomainError('forbidden');
    return true;
  }
}
