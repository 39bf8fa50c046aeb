import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { ConcurrencyLimiter } from '../../../platform/concurrency/concurrency.limiter';
import { KeyedConcurrencyLimiter } from '../../../platform/concurrency/keyed-concurrency.limiter';
import { DomainError } from '../../../platform/errors/domain.errors';
import { BODY_MAX_BYTES, minimumBodyRate, readForm } from './multipart-form.parser';

/** Bodies in memory at once, each of up to 5 MiB. The bodies of queued requests stay in their sockets. */
const CONCURRENCY = 16;
const MAX_QUEUED = 64;
/** Prevents one user from occupying all slots or the whole queue. */
const CONCURRENCY_PER_USER = 2;
const MAX_QUEUED_PER_USER = 4;
const RETRY_AFTER_MS = 1_000;

/** Reads the form of an upload, with limits on size, time and concurrency, per user and per replica. */
@Injectable()
export class UploadInterceptor implements NestInterceptor {
  private readonly replicaLimiter = new ConcurrencyLimiter(CONCURRENCY, MAX_QUEUED);
  private readonly userLimiter = new KeyedConcurrencyLimiter<number>(
    CONCURRENCY_PER_USER,
    MAX_QUEUED_PER_USER,
  );

  /**
   * @throws DomainError unsupported_type and too_large, without reading the body if the headers suffice to decide;
   * not_signed_in; rate_limited when the user has too many uploads in progress; unavailable when the replica has too
   * many; the errors of `readForm`.
   */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.is('multipart/form-data')) throw new DomainError('unsupported_type');
    if (Number(request.headers['content-length'] ?? 0) > BODY_MAX_BYTES) throw new DomainError('too_large');
    if (!request.user) throw new DomainError('not_signed_in');
    const releaseSlots = await this.acquireSlots(request.user.userId);
    try {
      await readForm(request, http.getResponse<Response>(), minimumBodyRate);
    } catch (error) {
      releaseSlots();
      throw error;
    }
    return next.handle().pipe(finalize(releaseSlots));
  }

  /** Waits for a slot of the user, then for one of the replica. @returns a function that releases both. */
  private async acquireSlots(userId: number): Promise<() => void> {
    // `acquire` rejects only when the user's queue is full.
    const releaseUserSlot = await this.userLimiter.acquire(userId).catch(() => {
      throw new DomainError('rate_limited', { retryAfterMs: RETRY_AFTER_MS });
    });
    try {
      // Throws `unavailable` when the queue of the replica is full.
      const releaseReplicaSlot = await this.replicaLimiter.acquire();
      return () => {
        releaseReplicaSlot();
        releaseUserSlot();
      };
    } catch (error) {
      releaseUserSlot();
      throw error;
    }
  }
}
