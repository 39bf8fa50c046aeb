import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { BucketName } from '../rate-limit/bucket.limits';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { toRateLimitSubject } from './client-subject.functions';

interface Limit {
  buckets: readonly BucketName[];
  by: 'user' | 'address';
}

const LIMIT = Symbol('LIMIT');

/**
 * Sets a route's buckets and the subject they are charged to. Takes effect on routes with `RateLimitGuard`. Of several
 * buckets the one with the shortest period comes first: what it refuses is not charged to the others.
 */
export const RateLimitedBy = (buckets: BucketName | readonly BucketName[], by: Limit['by']) =>
  SetMetadata(LIMIT, { buckets: [buckets].flat(), by });

@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiterService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const limit = this.reflector.get<Limit | undefined>(LIMIT, context.getHandler());
    if (!limit) return true;
    const { user, ip } = context.switchToHttp().getRequest<Request>();
    const subject = limit.by === 'user' && user ? user.userId : toRateLimitSubject(ip);
    for (const bucket of limit.buckets) await this.limiter.require(bucket, subject);
    return true;
  }
}
