import { limits } from '@thaw/contract/limits';
import type { Request, Response } from 'express';
import multer from 'multer';
import { DomainError } from '../../../platform/errors/domain.errors';

/** A file as multer provides it. */
export interface FormFile {
  buffer: Buffer;
}

/** Allowance for the form's fields and headers, in addition to the file. */
const FORM_MAX_BYTES = 16 * 1024;
export const BODY_MAX_BYTES = limits.imageMaxBytes + FORM_MAX_BYTES;

export interface BodyRateLimit {
  /** The rate is not checked during this period, because connections start slowly. */
  graceMs: number;
  /** A body whose average rate since its start is lower is refused. */
  minBytesPerSecond: number;
}
/**
 * The minimum rate is a quarter of the slowest realistic mobile uplink. At this rate, 480 KiB arrive within the
 * 30 seconds that the server allows for a request; a larger photo needs a higher rate.
 */
export const bodyRateLimit: BodyRateLimit = { graceMs: 5_000, minBytesPerSecond: 16 * 1024 };

const CHECK_RATE_EVERY_MS = 500;
/**
 * How long after the response a refused sender may continue sending, so that it can read the response before the
 * connection is reset.
 */
const LINGER_MS = 1_000;

/** Without a storage engine, multer keeps the file in memory. */
const parseForm = multer({
  limits: {
    files: 1,
    fileSize: limits.imageMaxBytes,
    fields: 4, // `bucket` and `fileName`, and two unknown ones, which are ignored
    fieldSize: 512,
    fieldNameSize: 64,
    parts: 6, // one more than the file and the fields, because a form that reaches the limit is refused
    fieldNestingDepth: 0,
    fieldArrayIndexLimit: 0,
  },
}).single('file');

/**
 * Reads a form into `request.body` and `request.file`.
 * @throws DomainError too_large, also for an endless chunked body; validation_failed for a malformed, aborted or too
 * slow body; unsupported_type for a multipart body other than form-data. The caller refuses bodies that are not
 * multipart.
 */
export const readForm = (request: Request, response: Response, rateLimit: BodyRateLimit): Promise<void> =>
  new Promise((resolve, reject) => {
    // For a request that is already destroyed, multer would never call back.
    if (request.destroyed) return reject(new DomainError('validation_failed'));
    const startedAt = performance.now();
    let receivedBytes = 0;
    const countBytes = (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > BODY_MAX_BYTES) refuse(new DomainError('too_large'));
    };
    const rateTimer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs < rateLimit.graceMs) return;
      if (receivedBytes < (rateLimit.minBytesPerSecond * elapsedMs) / 1_000) {
        refuse(new DomainError('validation_failed'));
      }
    }, CHECK_RATE_EVERY_MS);
    const stop = () => {
      clearInterval(rateTimer);
      request.off('data', countBytes);
    };
    const refuse = (error: DomainError) => {
      stop();
      discardRest(request, response);
      reject(error);
    };
    void parseForm(request, response, (error?: unknown) => {
      stop();
      if (error === undefined) resolve();
      else reject(toRefusal(error));
    });
    // Added after multer has started to read the body: a listener that is added earlier would start the flow of the
    // body too early. No chunk is missed, because the first chunk arrives asynchronously.
    request.on('data', countBytes);
  });

/**
 * Discards the rest of the body while the response is sent. Afterwards, destroys the connection if the body still has
 * not ended.
 */
const discardRest = (request: Request, response: Response): void => {
  request.unpipe();
  request.resume();
  response.once('finish', () => {
    const lingerTimer = setTimeout(() => {
      if (!request.complete) request.destroy();
    }, LINGER_MS);
    request.once('close', () => clearTimeout(lingerTimer));
  });
};

/** Every error of multer is caused by the request, because multer keeps the file in memory. */
const toRefusal = (error: unknown): DomainError => {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'LIMIT_FILE_SIZE') return new DomainError('too_large');
  if (message.startsWith('Unsupported content type')) return new DomainError('unsupported_type');
  return new DomainError('validation_failed');
};
