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

/** Whether the request uploads a file. The upload route parses its form itself; all other bodies are JSON. */
const isFileUpload = ({ path, headers }: Request): boolean => {
  // `path` is relative to /api. As for Express, its case and a slash at its end are irrelevant.
  const isUploadPath = /^\/upload\/?$/i.test(path);
  return isUploadPath && /^multipart\/form-data\s*;/i.test(headers['content-type'] ?? '');
};

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

/** Reads an uncompressed body. `readJsonBody` has checked its content type. */
const readBytes = raw({ type: () => true, limit: limits.jsonBodyMaxBytes, inflate: false });

/** Converts an error of `readBytes`. */
const toDomainError = (error: unknown): DomainError => {
  const { status } = error as { status?: unknown };
  if (status === 413) return new DomainError('too_large');
  if (status === 415) return new DomainError('unsupported_type');
  return new DomainError('validation_failed');
};

/** The body parser of the API. It accepts only JSON, which the HTML forms of other sites cannot send. */
export const readJsonBody: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  const isIgnored = safeMethods.has(request.method) || !hasBody(request) || isFileUpload(request);
  if (isIgnored) return next();
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
