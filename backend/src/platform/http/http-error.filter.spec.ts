import { type ArgumentsHost, HttpException } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';
import type { AppLoggerService } from '../observability/app-logger.service';
import { HttpErrorFilter } from './http-error.filter';

/** Passes an error to the filter. @returns its response, and the number of failures that it logged */
const handle = (error: unknown): { status: number; code: string; logCount: number } => {
  let sent = { status: 0, code: '' };
  const response = {
    locals: {},
    headersSent: false,
    removeHeader: () => undefined,
    set: () => response,
    type: () => response,
    status: () => response,
    json: ({ statusCode, code }: { statusCode: number; code: string }) => {
      sent = { status: statusCode, code };
    },
  };
  const logFailure = jest.fn();
  const host = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => response }) };
  new HttpErrorFilter({ logFailure } as unknown as AppLoggerService).catch(
    error,
    host as unknown as ArgumentsHost,
  );
  return { ...sent, logCount: logFailure.mock.calls.length };
};

describe('HttpErrorFilter', () => {
  it.each<{ kind: string; error: unknown; status: number; code: string }>([
    { kind: 'a domain error', error: new DomainError('email_taken'), status: 409, code: 'email_taken' },
    {
      kind: 'an exception of Nest whose status has no code of its own',
      error: new HttpException('x', 418),
      status: 418,
      code: 'validation_failed',
    },
    { kind: 'an unknown method', error: new HttpException('x', 405), status: 405, code: 'not_found' },
    {
      kind: 'a refusal by the file server',
      error: createHttpError(416),
      status: 416,
      code: 'validation_failed',
    },
    {
      kind: 'an upload that the client aborted',
      // The filter recognizes this error by its message, which multer sets.
      error: new Error('Request aborted'),
      status: 400,
      code: 'validation_failed',
    },
  ])('responds to $kind with $status and $code, and logs no failure', ({ error, status, code }) => {
    expect(handle(error)).toEqual({ status, code, logCount: 0 });
  });

  it.each<{ kind: string; error: unknown }>([
    { kind: 'a server error of a library', error: createHttpError(502) },
    {
      kind: 'an error whose status is not meant for the client',
      error: Object.assign(createHttpError(404), { expose: false }),
    },
    { kind: 'a bug', error: new TypeError('x') },
    { kind: 'a thrown value that is not an error', error: undefined },
  ])('responds to $kind with an internal error, and logs the failure', ({ error }) => {
    expect(handle(error)).toEqual({ status: 500, code: 'internal', logCount: 1 });
  });
});

/** Creates an error like those of `http-errors`, which clients may see (`expose`) if it is not a server error. */
function createHttpError(status: number): Error {
  return Object.assign(new Error('x'), { status, expose: status < 500 });
}
