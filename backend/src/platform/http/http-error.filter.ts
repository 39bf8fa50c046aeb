import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type HttpErrorBody, type HttpErrorCode, httpErrorStatus } from '@thaw/contract/error-codes';
import type { Response } from 'express';
import { DomainError } from '../errors/domain.errors';
import { errorMessages } from '../errors/error-message.registry';
import { isStoreFailure } from '../errors/store-failure.errors';
import { AppLoggerService } from '../observability/app-logger.service';

/** Error codes by status, for client errors that libraries throw. Every other 4xx becomes `validation_failed`. */
const codeByStatus: Partial<Record<number, HttpErrorCode>> = {
  401: 'not_signed_in',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_found', // the contract has no code for a method that a route does not support
  413: 'too_large',
  415: 'unsupported_type',
  429: 'rate_limited',
};

interface ErrorResponse {
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
    const correlationId = response.locals.correlationId as string | undefined;
    const { statusCode, code, message, retryAfterMs } =
      convertExpected(error) ?? this.logUnexpected(error, correlationId);
    if (response.headersSent) {
      // Part of the response has been sent already, so its status can no longer change.
      response.end();
      return;
    }
    if (retryAfterMs !== undefined) {
      response.set('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
    }
    response.locals.errorCode = code; // for the request log
    // The file server may already have set these headers, which only apply to the file.
    for (const name of ['ETag', 'Last-Modified', 'Accept-Ranges']) response.removeHeader(name);
    response.set('Cache-Control', 'no-store').type('json');
    response.status(statusCode).json({ statusCode, code, message } satisfies HttpErrorBody);
  }

  private logUnexpected(error: unknown, correlationId: string | undefined): ErrorResponse {
    const code = isStoreFailure(error) ? 'unavailable' : 'internal';
    const failure = code === 'unavailable' ? 'A store is unavailable' : 'A request failed';
    this.logger.logFailure(failure, error, { code, correlationId });
    return buildErrorResponse(code);
  }
}

/**
 * Builds the response to an expected error: a refusal, a client error that a library throws, or a 503.
 * @returns undefined for an unexpected error, which has to be logged.
 */
const convertExpected = (error: unknown): ErrorResponse | undefined => {
  if (error instanceof DomainError) {
    const { code, retryAfterMs, publicMessage } = error;
    if (!isHttpCode(code)) return undefined; // only socket frames may have this code, so it is a bug here
    return { ...buildErrorResponse(code), retryAfterMs, message: publicMessage ?? errorMessages[code] };
  }
  // No client receives this response, but the request log has its code.
  if (isClientAbort(error)) return buildErrorResponse('validation_failed');
  const status = readStatus(error);
  if (status === 503) return buildErrorResponse('unavailable');
  const isClientError = status !== undefined && status >= 400 && status < 500;
  if (!isClientError) return undefined;
  return { ...buildErrorResponse(codeByStatus[status] ?? 'validation_failed'), statusCode: status };
};

const buildErrorResponse = (code: HttpErrorCode): ErrorResponse => ({
  statusCode: httpErrorStatus[code],
  code,
  message: errorMessages[code],
});

/** The status of Nest's exceptions, and of `http-errors` of Express middleware if the client may see it (`expose`). */
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
