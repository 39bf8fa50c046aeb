import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type HttpErrorBody, type HttpErrorCode, httpErrorStatus } from '@thaw/contract/error-codes';
import type { Response } from 'express';
import { DomainError } from '../errors/domain-error';
import { errorMessages } from '../errors/error-messages';
import { isStoreFailure } from '../errors/store-failure';
import { AppLogger } from '../observability/app-logger';

const codeOfStatus: Partial<Record<number, HttpErrorCode>> = {
  400: 'validation_failed',
  401: 'not_signed_in',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_found',
  413: 'too_large',
  415: 'unsupported_type',
  429: 'rate_limited',
  503: 'unavailable',
};

interface Refusal {
  code: HttpErrorCode;
  message: string;
  retryAfterMs?: number;
}

/** The one place where an error becomes an HTTP answer. What nobody expected is told to the log alone. */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: AppLogger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    // Frames have a filter of their own.
    if (host.getType() !== 'http') throw error;
    const response = host.switchToHttp().getResponse<Response>();
    const { code, message, retryAfterMs } = this.toRefusal(
      error,
      response.locals.correlationId as string | undefined,
    );
    if (response.headersSent) {
      response.end();
      return;
    }
    const statusCode = httpErrorStatus[code];
    if (retryAfterMs !== undefined) {
      response.set('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
    }
    response.locals.errorCode = code;
    response.status(statusCode).json({ statusCode, code, message } satisfies HttpErrorBody);
  }

  private toRefusal(error: unknown, correlationId: string | undefined): Refusal {
    if (error instanceof DomainError && isHttpCode(error.code)) {
      const { code, retryAfterMs } = error;
      return { code, retryAfterMs, message: error.publicMessage ?? errorMessages[code] };
    }
    if (error instanceof HttpException) {
      const code = codeOfStatus[error.getStatus()];
      if (code) return { code, message: errorMessages[code] };
    }
    if (isStoreFailure(error)) {
      this.logger.failure('A store is away', error, { code: 'unavailable', correlationId });
      return { code: 'unavailable', message: errorMessages.unavailable };
    }
    this.logger.failure('A request failed', error, { code: 'internal', correlationId });
    return { code: 'internal', message: errorMessages.internal };
  }
}

const isHttpCode = (code: string): code is HttpErrorCode => Object.hasOwn(httpErrorStatus, code);
