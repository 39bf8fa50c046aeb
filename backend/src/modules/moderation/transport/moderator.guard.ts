import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DataSource } from 'typeorm';
import { DomainError } from '../../../platform/errors/domain.errors';

/** Admits moderators. Runs after `SignedInGuard` and before any pipe. @throws DomainError forbidden otherwise. */
@Injectable()
export class ModeratorGuard implements CanActivate {
  constructor(private readonly dataSource: DataSource) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user } = context.switchToHttp().getRequest<Request>();
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM users WHERE id = $1 AND is_moderator',
      [user?.userId ?? 0],
    );
    if (rows.length === 0) throw new DomainError('forbidden');
    return true;
  }
}
