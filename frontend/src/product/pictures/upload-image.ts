import { uploadResponseSchema, type UploadBucket } from '@thaw/contract/uploads';
import { reportApiError } from '@/lib/api-client';

export interface UploadOptions {
  signal?: AbortSignal;
  /** Called with the progress of the upload, an integer percentage. */
  onProgress?: (percent: number) => void;
}

/** An upload without progress for this long is aborted; the total time is not limited. */
export const stallTimeoutMs = 30_000;

/**
 * Uploads an image and returns its address. Uses XMLHttpRequest, because fetch reports no upload progress over
 * HTTP/1.1.
 * @param fileName a path, such as `profiles/7`. The server keeps only its folder, here `profiles/`, and generates the
 * rest.
 * @throws ApiError on a non-success status; the reason of `signal` when it is aborted; a DOMException `TimeoutError`
 * when the upload stalls; another Error when there is no response or an invalid one
 */
export const uploadImage = (
  file: Blob,
  bucket: UploadBucket,
  fileName: string,
  { signal, onProgress }: UploadOptions = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const form = new FormData();
    form.append('bucket', bucket);
    form.append('fileName', fileName);
    form.append('file', file);
    const xhr = new XMLHttpRequest();
    let stallTimer: number | undefined;
    /** Removes the listener of `signal` once the upload has ended. */
    const settledController = new AbortController();
    const finish = (settle: () => void): void => {
      clearTimeout(stallTimer);
      settledController.abort();
      settle();
    };
    const abort = (reason: unknown): void =>
      finish(() => {
        xhr.abort();
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      });
    const restartStallTimer = (): void => {
      clearTimeout(stallTimer);
      stallTimer = window.setTimeout(
        () => abort(new DOMException('The upload made no progress', 'TimeoutError')),
        stallTimeoutMs,
      );
    };
    signal?.addEventListener('abort', () => abort(signal.reason), { signal: settledController.signal });
    xhr.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      restartStallTimer();
      if (lengthComputable && total > 0) onProgress?.(Math.floor((loaded / total) * 100));
    };
    xhr.onerror = () => finish(() => reject(new Error('The upload got no answer')));
    xhr.onload = () =>
      finish(() => {
        const { status, statusText, responseText } = xhr;
        if (status < 200 || status > 299) {
          // `reportApiError` resolves with the ApiError, with which the upload is rejected.
          reportApiError({ status, statusText, text: () => Promise.resolve(responseText) }).then(
            reject,
            reject,
          );
          return;
        }
        try {
          resolve(uploadResponseSchema.parse(JSON.parse(responseText)).url);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    xhr.open('POST', '/api/upload');
    xhr.withCredentials = true;
    restartStallTimer();
    xhr.send(form);
  });
