import { limits } from '@thaw/contract/limits';
import type { Request, Response } from 'express';
import multer from 'multer';
import { DomainError } from '../../../platform/errors/domain.errors';

/** A file as multer hands it over. */
export interface FormFile {
  buffer: Buffer;
}

/** Room for a form's fields and headers beside its file. */
const FORM_MAX_BYTES = 16 * 1024;
export const BODY_MAX_BYTES = limits.imageMaxBytes + FORM_MAX_BYTES;

export interface BodyRateLimit {
  /** Until then any pace will do: a connection needs some time to get going. */
  graceMs: number;
  /** Average since the beginning of the body; a body below it is refused. */
  minBytesPerSecond: number;
}
/** A photo of 480 kB in the 30 s that a request may take; a quarter of the slowest mobile uplink worth the name. */
export const bodyRateLimit: BodyRateLimit = { graceMs: 5_000, minBytesPerSecond: 16 * 1024 };

const CHECK_RATE_EVERY_MS = 500;
/** How long a refused sender may go on sending, so that it gets to read the answer before its connection is reset. */
const LINGER_MS = 1_000;

/** Without a storage of its own multer keeps the file in memory. */
const parseForm = multer({
  limits: {
    files: 1,
    fileSize: limits.imageMaxBytes,
    fields: 4,
    fieldSize: 512,
    fieldNameSize: 64,
    parts: 6,
    fieldNestingDepth: 0,
    fieldArrayIndexLimit: 0,
  },
}).single('file');

/**
 * Reads a form into `request.body` and `request.file`.
 * @throws DomainError too_large, also for a chunked body that goes on and on; validation_failed for a malformed, broken
 * off or too slow body; unsupported_type.
 */
export const readForm = (request: Request, response: Response, rateLimit: BodyRateLimit): Promise<void> =>
  new Promise((resolve, reject) => {
    // multer would wait for the end of a request that has gone before it listens.
    if (request.destroyed) return reject(new DomainError('validation_failed'));
    const startedAt = performance.now();
    let receivedBytes = 0;
    const count = (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > BODY_MAX_BYTES) refuse(new DomainError('too_large'));
    };
    const watching = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs < rateLimit.graceMs) return;
      if (receivedBytes < (rateLimit.minBytesPerSecond * elapsedMs) / 1_000) {
        refuse(new DomainError('validation_failed'));
      }
    }, CHECK_RATE_EVERY_MS);
    const stop = () => {
      clearInterval(watching);
      request.off('data', count);
    };
    const refuse = (error: DomainError) => {
      stop();
      discardRest(request, response);
      reject(error);
    };
    void parseForm(request, response, (error?: unknown) => {
      stop();
      if (error === undefined) resolve();
      else reject(refusalOf(error));
    });
    // multer has begun to pipe the body, so no chunk is missed and none comes too early for it.
    request.on('data', count);
  });

/** Reads on without keeping anything while the answer goes out, and then ends the connection if there is still more. */
const discardRest = (request: Request, response: Response): void => {
  request.unpipe();
  request.resume();
  response.once('finish', () => {
    const cut = setTimeout(() => {
      if (!request.complete) request.destroy();
    }, LINGER_MS);
    request.once('close', () => clearTimeout(cut));
  });
};

/** Everything that multer complains of is the sender's doing: nothing but the request takes part in it. */
const refusalOf = (error: unknown): DomainError => {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'LIMIT_FILE_SIZE') return new DomainError('too_large');
  if (message.startsWith('Unsupported content type')) return new DomainError('unsupported_type');
  return new DomainError('validation_failed');
};
