import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type HttpErrorBody, type HttpErrorCode, httpErrorStatus } from '@thaw/contract/error-codes';
import type { Response } from 'express';
import { DomainError } from '../errors/domain.errors';
import { errorMessages } from '../errors/error-message.registry';
import { isStoreFailure } from '../errors/store-failure.errors';
import { AppLoggerService } from '../observability/app-logger.service';

/** Codes for client errors thrown by libraries; every other status from 400 to 499 is `validation_failed`. */
const codeByStatus: Partial<Record<number, HttpErrorCode>> = {
  401: 'not_signed_in',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_found',
  413: 'too_large',
  415: 'unsupported_type',
  429: 'rate_limited',
};

interface Refusal {
  statusCode: number;
  code: HttpErrorCode;
  message: string;
  retryAfterMs?: number;
}

/** Turns every error into an HTTP response. Details of unexpected errors only go to the log. */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: AppLoggerService) {}

  catch(error: unknown, host: ArgumentsHost): void {
    // Errors of socket frames are handled by the WebSocket adapter.
    if (host.getType() !== 'http') throw error;
    const response = host.switchToHttp().getResponse<Response>();
    const { statusCode, code, message, retryAfterMs } = this.toRefusal(
      error,
      response.locals.correlationId as string | undefined,
    );
    if (response.headersSent) {
      response.end();
      return;
    }
    if (retryAfterMs !== undefined) {
      response.set('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
    }
    response.locals.errorCode = code;
    // Headers already set for a file do not apply to the error response.
    for (const name of ['ETag', 'Last-Modified', 'Accept-Ranges']) response.removeHeader(name);
    response.set('Cache-Control', 'no-store').type('json');
    response.status(statusCode).json({ statusCode, code, message } satisfies HttpErrorBody);
  }

  private toRefusal(error: unknown, correlationId: string | undefined): Refusal {
    if (error instanceof DomainError && isHttpCode(error.code)) {
      const { code, retryAfterMs, publicMessage } = error;
      return { ...createRefusal(code), retryAfterMs, message: publicMessage ?? errorMessages[code] };
    }
    if (isClientAbort(error)) return createRefusal('validation_failed');
    const status = readStatus(error);
    if (status !== undefined && status >= 400 && status < 500) {
      return { ...createRefusal(codeByStatus[status] ?? 'validation_failed'), statusCode: status };
    }
    if (status === 503) return createRefusal('unavailable');
    if (isStoreFailure(error)) {
      this.logger.logFailure('A store is unavailable', error, { code: 'unavailable', correlationId });
      return createRefusal('unavailable');
    }
    this.logger.logFailure('A request failed', error, { code: 'internal', correlationId });
    return createRefusal('internal');
  }
}

const createRefusal = (code: HttpErrorCode): Refusal => ({
  statusCode: httpErrorStatus[code],
  code,
  message: errorMessages[code],
});

/** Returns the status of Nest's exceptions and of `http-errors`, which Express middleware throws. */
const readStatus = (error: unknown): number | undefined => {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error)) return undefined;
  const { status, expose } = error as { status?: unknown; expose?: unknown };
  return typeof status === 'number' && expose === true ? status : undefined;
};

/** Whether the client aborted an upload (multer) or a download (Express). */
const isClientAbort = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Request aborted';

const isHttpCode = (code: string): code is HttpErrorCode => Object.hasOwn(httpErrorStatus, code);
