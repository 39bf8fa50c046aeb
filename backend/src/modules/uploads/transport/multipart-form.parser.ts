import { limits } from '@thaw/contract/limits';
import type { Request, Response } from 'express';
import multer from 'multer';
import { DomainError } from '../../../platform/errors/domain.errors';

/** A file as multer provides it. */
export interface FormFile {
  buffer: Buffer;
}

/** Room in the body for everything except the image: the fields of the form, and the headers of its parts. */
const FORM_MAX_BYTES = 16 * 1024;
export const BODY_MAX_BYTES = limits.imageMaxBytes + FORM_MAX_BYTES;

/** A body that arrives more slowly is refused. */
export interface MinimumBodyRate {
  /** The average since the start of the body. */
  bytesPerSecond: number;
  /** The rate is not checked during this period, because connections start slowly. */
  graceMs: number;
}
/**
 * A quarter of the slowest realistic mobile uplink. A photo of more than 480 KiB (30 s at this rate) needs a higher
 * rate, because the server allows 30 s for a request.
 */
export const minimumBodyRate: MinimumBodyRate = { bytesPerSecond: 16 * 1024, graceMs: 5_000 };

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
    parts: 6, // the file, the four fields, and one part without `Content-Disposition`, which is ignored
    // Refuse names that multer would read as objects or arrays, such as `bucket[name]` and `bucket[1]`.
    fieldNestingDepth: 0,
    fieldArrayIndexLimit: 0,
  },
}).single('file');

/** Refuses a body, at most once, when it becomes too large or is too slow. */
class BodyMonitor {
  private readonly startedAt = performance.now();
  private readonly rateTimer: NodeJS.Timeout;
  private receivedBytes = 0;

  constructor(
    private readonly request: Request,
    private readonly minimumRate: MinimumBodyRate,
    private readonly refuse: (error: DomainError) => void,
  ) {
    this.rateTimer = setInterval(() => this.checkRate(), CHECK_RATE_EVERY_MS);
  }

  /** Starts to count the bytes. Call this after multer has begun to read: the listener makes the body flow. */
  countBytes(): void {
    this.request.on('data', this.handleChunk);
  }

  stop(): void {
    clearInterval(this.rateTimer);
    this.request.off('data', this.handleChunk);
  }

  private readonly handleChunk = (chunk: Buffer): void => {
    this.receivedBytes += chunk.length;
    if (this.receivedBytes > BODY_MAX_BYTES) this.stopAndRefuse('too_large');
  };

  private checkRate(): void {
    const elapsedMs = performance.now() - this.startedAt;
    if (elapsedMs < this.minimumRate.graceMs) return;
    const requiredBytes = (this.minimumRate.bytesPerSecond * elapsedMs) / 1_000;
    if (this.receivedBytes < requiredBytes) this.stopAndRefuse('validation_failed');
  }

  private stopAndRefuse(code: 'too_large' | 'validation_failed'): void {
    this.stop();
    this.refuse(new DomainError(code));
  }
}

/**
 * Reads a form into `request.body` and `request.file`.
 * @throws DomainError too_large, also for an endless chunked body; validation_failed for a malformed, aborted or too
 * slow body; unsupported_type for a multipart body other than form-data. The caller refuses bodies that are not
 * multipart.
 */
export const readForm = (request: Request, response: Response, minimumRate: MinimumBodyRate): Promise<void> =>
  new Promise((resolve, reject) => {
    // For a request that is already destroyed, multer would never call back.
    if (request.destroyed) return reject(new DomainError('validation_failed'));
    const monitor = new BodyMonitor(request, minimumRate, (refusal) => {
      discardRest(request, response);
      reject(refusal);
    });
    void parseForm(request, response, (error?: unknown) => {
      monitor.stop();
      if (error === undefined) resolve();
      else reject(toRefusal(error));
    });
    // No chunk is missed, because the first chunk arrives asynchronously.
    monitor.countBytes();
  });

/** Discards the rest of the body. If it has not ended `LINGER_MS` after the response, destroys the connection. */
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

/** Every error of multer is caused by the request, because multer only parses it and writes no file. */
const toRefusal = (error: unknown): DomainError => {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'LIMIT_FILE_SIZE') return new DomainError('too_large');
  if (message.startsWith('Unsupported content type')) return new DomainError('unsupported_type');
  return new DomainError('validation_failed');
};
