import { uploadAnswerSchema, type UploadBucket } from '@thaw/contract/uploads';
import { toApiError } from '@/lib/api-client';

/**
 * Stores an image and answers its address. Of `fileName` the server keeps the folder alone (A99).
 * @throws ApiError on a non-success status; whatever `fetch` throws when there is no answer.
 */
export const uploadImage = async (file: File, bucket: UploadBucket, fileName: string): Promise<string> => {
  const form = new FormData();
  form.append('bucket', bucket);
  form.append('fileName', fileName);
  form.append('file', file);
  const response = await fetch('/api/upload', { method: 'POST', credentials: 'include', body: form });
  if (!response.ok) throw await toApiError(response);
  return uploadAnswerSchema.parse(await response.json()).url;
};
