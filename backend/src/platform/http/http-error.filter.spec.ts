import { type ArgumentsHost, HttpException } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';
import type { AppLoggerService } from '../observability/app-logger.service';
import { HttpErrorFilter } from './http-error.filter';

/** Returns the filter's response to an error and the number of log lines. */
const answerTo = (error: unknown): { status: number; code: string; logged: number } => {
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
  return { ...sent, logged: logFailure.mock.calls.length };
};

describe('HttpErrorFilter', () => {
  it.each<[what: string, error: unknown, status: number, code: string, logged: number]>([
    ['a refusal of ours', new DomainError('email_taken'), 409, 'email_taken', 0],
    ['an exception of Nest', new HttpException('x', 418), 418, 'validation_failed', 0],
    ['an unknown method', new HttpException('x', 405), 405, 'not_found', 0],
    ['an error of the page server', createHttpError(416), 416, 'validation_failed', 0],
    ['an error of a proxy', createHttpError(502), 500, 'internal', 1],
    [
      'a status that a library meant for itself',
      { ...createHttpError(404), expose: false },
      500,
      'internal',
      1,
    ],
    ['an upload that its sender broke off', new Error('Request aborted'), 400, 'validation_failed', 0],
    ['a bug', new TypeError('x'), 500, 'internal', 1],
    ['what is no error', undefined, 500, 'internal', 1],
  ])('responds with the right status and code to %s', (_, error, status, code, logged) => {
    expect(answerTo(error)).toEqual({ status, code, logged });
  });
});

function createHttpError(status: number): Error {
  return Object.assign(new Error('x'), { status, expose: status < 500 });
}
