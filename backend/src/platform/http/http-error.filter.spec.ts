import { type ArgumentsHost, HttpException } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';
import type { AppLoggerService } from '../observability/app-logger.service';
import { HttpErrorFilter } from './http-error.filter';

/** Returns the filter's response to an error, and how many failures it logged. */
const respondTo = (error: unknown): { status: number; code: string; logCount: number } => {
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
  it.each<[kind: string, error: unknown, status: number, code: string, logCount: number]>([
    ['a domain error', new DomainError('email_taken'), 409, 'email_taken', 0],
    [
      'an exception of Nest whose status has no code of its own',
      new HttpException('x', 418),
      418,
      'validation_failed',
      0,
    ],
    ['an unknown method', new HttpException('x', 405), 405, 'not_found', 0],
    ['a refusal by the file server', createHttpError(416), 416, 'validation_failed', 0],
    ['a server error of a library', createHttpError(502), 500, 'internal', 1],
    [
      'an error whose status is not meant for the client',
      Object.assign(createHttpError(404), { expose: false }),
      500,
      'internal',
      1,
    ],
    // The filter recognizes this error by its message, which multer sets.
    ['an upload that the client aborted', new Error('Request aborted'), 400, 'validation_failed', 0],
    ['a bug', new TypeError('x'), 500, 'internal', 1],
    ['a thrown value that is not an error', undefined, 500, 'internal', 1],
  ])(
    'converts %s to its status and code, and logs only internal errors',
    (_, error, status, code, logCount) => {
      expect(respondTo(error)).toEqual({ status, code, logCount });
    },
  );
});

/** Creates an error like those of `http-errors`. `expose`: whether the client may see the status. */
function createHttpError(status: number): Error {
  return Object.assign(new Error('x'), { status, expose: status < 500 });
}
