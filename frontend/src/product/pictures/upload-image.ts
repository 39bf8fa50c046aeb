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
 * @param fileName a path such as `profiles/7`. The server uses only its folder (`profiles/`), and creates a new name.
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
    /** Cleans up and settles the promise, however the upload has ended. */
    const finish = (settle: () => void): void => {
      clearTimeout(stallTimer);
      signal?.removeEventListener('abort', abortBySignal);
      settle();
    };
    const abort = (reason: unknown): void =>
      finish(() => {
        xhr.abort();
        // A signal can be aborted with a reason of any type.
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      });
    const abortBySignal = (): void => abort(signal?.reason);
    const restartStallTimer = (): void => {
      clearTimeout(stallTimer);
      stallTimer = window.setTimeout(
        () => abort(new DOMException('The upload made no progress', 'TimeoutError')),
        stallTimeoutMs,
      );
    };
    signal?.addEventListener('abort', abortBySignal);
    xhr.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      restartStallTimer();
      if (lengthComputable && total > 0) onProgress?.(Math.floor((loaded / total) * 100));
    };
    xhr.onerror = () => finish(() => reject(new Error('The upload got no answer')));
    // If `readAddress` rejects, so does the promise of the upload.
    xhr.onload = () => finish(() => resolve(readAddress(xhr)));
    xhr.open('POST', '/api/upload');
    xhr.withCredentials = true;
    restartStallTimer();
    xhr.send(form);
  });

/**
 * Reads the address of the uploaded image from the response.
 * @throws ApiError on a non-success status; another Error when the response is invalid
 */
const readAddress = async ({ status, statusText, responseText }: XMLHttpRequest): Promise<string> => {
  const isSuccess = status >= 200 && status <= 299;
  // `reportApiError` reads a response of fetch, so the text is wrapped in a promise.
  if (!isSuccess)
    throw await reportApiError({ status, statusText, text: () => Promise.resolve(responseText) });
  return uploadResponseSchema.parse(JSON.parse(responseText)).url;
};
