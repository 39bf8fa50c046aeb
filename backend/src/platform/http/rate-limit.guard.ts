import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { BucketName } from '../rate-limit/bucket.limits';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { toRateLimitSubject } from './client-subject.functions';

interface RouteLimit {
  buckets: readonly BucketName[];
  by: 'user' | 'address';
}

const LIMIT = Symbol('LIMIT');

/**
 * Sets the buckets of a route's rate limit. Takes effect on routes with `RateLimitGuard`.
 * @param buckets the one with the shortest period first: a request that it refuses is not charged to the others.
 * @param by the subject that requests are charged to. `user` means the address for requests without a login.
 */
export const RateLimitedBy = (buckets: BucketName | readonly BucketName[], by: RouteLimit['by']) =>
  SetMetadata(LIMIT, { buckets: [buckets].flat(), by });

/**
 * Applies `RateLimitedBy`.
 * @throws DomainError rate_limited
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiterService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const limit = this.reflector.get<RouteLimit | undefined>(LIMIT, context.getHandler());
    if (!limit) return true;
    const { user, ip } = context.switchToHttp().getRequest<Request>();
    const subject = limit.by === 'user' && user ? user.userId : toRateLimitSubject(ip);
    for (const bucket of limit.buckets) await this.limiter.require(bucket, subject);
    return true;
  }
}
