import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { BucketName } from '../rate-limit/buckets';
import { RateLimiter } from '../rate-limit/rate-limiter';
import { clientSubject } from './client-subject';

interface Limit {
  bucket: BucketName;
  by: 'user' | 'address';
}

const LIMIT = Symbol('LIMIT');

/** Which bucket a route draws from, and whose it is. Takes effect where `LimitGuard` guards. */
export const LimitedBy = (bucket: BucketName, by: Limit['by']) => SetMetadata(LIMIT, { bucket, by });

@Injectable()
export class LimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const limit = this.reflector.get<Limit | undefined>(LIMIT, context.getHandler());
    if (!limit) return true;
    const { user, ip } = context.switchToHttp().getRequest<Request>();
    const subject = limit.by === 'user' && user ? user.userId : clientSubject(ip);
    await this.limiter.require(limit.bucket, subject);
    return true;
  }
}
