import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { BucketName } from '../rate-limit/bucket.limits';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { toRateLimitSubject } from './rate-limit-subject.functions';

interface RouteLimit {
  buckets: readonly BucketName[];
  by: 'user' | 'address';
}

const ROUTE_LIMIT = Symbol('ROUTE_LIMIT');

/**
 * Sets the buckets of a route's rate limit. Takes effect on routes with `RateLimitGuard`.
 * @param buckets the one with the shortest period first: a request that it refuses is not charged to the others.
 * @param by the subject that requests are charged to. `user`: the signed-in user, or the address if there is none.
 */
export const RateLimitedBy = (buckets: BucketName | readonly BucketName[], by: RouteLimit['by']) =>
  SetMetadata(ROUTE_LIMIT, { buckets: [buckets].flat(), by });

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
    const limit = this.reflector.get<RouteLimit | undefined>(ROUTE_LIMIT, context.getHandler());
    if (!limit) return true;
    const { user, ip } = context.switchToHttp().getRequest<Request>();
    const subject = limit.by === 'user' && user ? user.userId : toRateLimitSubject(ip);
    for (const bucket of limit.buckets) await this.limiter.require(bucket, subject);
    return true;
  }
}
