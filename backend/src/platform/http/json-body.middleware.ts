import type { IncomingMessage } from 'node:http';
import { limits } from '@thaw/contract/limits';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { raw } from 'express';
import { DomainError } from '../errors/domain.errors';
import { parseUntrustedJson } from '../json/untrusted-json.parser';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? '');

/**
 * Whether the request uploads a file. The upload route is the only one whose body is not JSON; it parses the body
 * itself. `path` is relative to /api. Express ignores the case of a path and a slash at its end, so this does, too.
 */
const isFileUpload = ({ path, headers }: Request): boolean =>
  /^\/upload\/?$/i.test(path) && /^multipart\/form-data\s*;/i.test(headers['content-type'] ?? '');

/**
 * Parses a JSON body.
 * @throws DomainError validation_failed unless the body is an object that `parseUntrustedJson` accepts.
 */
export const parseJsonBody = (bytes: Buffer): object => {
  let body: unknown;
  try {
    body = parseUntrustedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new DomainError('validation_failed');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new DomainError('validation_failed');
  }
  return body;
};

const readBytes = raw({ type: () => true, limit: limits.jsonBodyMaxBytes, inflate: false });

/** Converts an error of Express' body parser. */
const toDomainError = (error: unknown): DomainError => {
  const { status } = error as { status?: unknown };
  if (status === 413) return new DomainError('too_large');
  if (status === 415) return new DomainError('unsupported_type');
  return new DomainError('validation_failed');
};

/**
 * The only body parser of the API, except for uploads. Accepting only JSON also blocks requests from the HTML forms of
 * other sites.
 */
export const readJsonBody: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  if (safeMethods.has(request.method) || !hasBody(request) || isFileUpload(request)) return next();
  if (!isJson(request.headers['content-type'])) return next(new DomainError('unsupported_type'));
  readBytes(request, response, (error?: unknown) => {
    if (error) return next(toDomainError(error));
    try {
      request.body = parseJsonBody(request.body as Buffer);
    } catch (parseError) {
      return next(parseError);
    }
    next();
  });
};
