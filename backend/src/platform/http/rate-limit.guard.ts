import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { BucketName } from '../rate-limit/bucket.limits';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { toRateLimitSubject } from './client-subject.functions';

interface Limit {
  bucket: BucketName;
  by: 'user' | 'address';
}

const LIMIT = Symbol('LIMIT');

/** Sets a route's bucket and the subject it is charged to. Takes effect on routes with `RateLimitGuard`. */
export const RateLimitedBy = (bucket: BucketName, by: Limit['by']) => SetMetadata(LIMIT, { bucket, by });

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
    await this.limiter.require(limit.bucket, subject);
    return true;
  }
}
