import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { DomainError } from '../../../platform/errors/domain-error';
import { BoundedTurns } from '../application/bounded-turns';

/** Uploads are read into memory, so many at once; the bodies of those that wait stay where they are. */
const AT_ONCE = 8;
const QUEUE = 64;
/** What stands around a file in its form. */
const FORM_MAX_BYTES = 16 * 1024;

@Injectable()
export class UploadTurnInterceptor implements NestInterceptor {
  private readonly turns = new BoundedTurns(AT_ONCE, QUEUE);

  /** @throws DomainError unsupported_type, too_large, unavailable; before a byte is read. */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.is('multipart/form-data')) throw new DomainError('unsupported_type');
    if (Number(request.headers['content-length'] ?? 0) > limits.imageMaxBytes + FORM_MAX_BYTES) {
      throw new DomainError('too_large');
    }
    const leave = await this.turns.enter();
    // multer waits for ever for a form whose sender has gone before it began to read.
    http.getResponse<Response>().once('close', () => {
      if (!request.complete) leave();
    });
    if (request.destroyed) {
      leave();
      throw new DomainError('validation_failed');
    }
    return next.handle().pipe(finalize(leave));
  }
}
