import { uploadAnswerSchema, type UploadFields } from '@thaw/contract/uploads';
import { requestForm } from '@/lib/api-client';

/**
 * Stores a picture and answers its address.
 * @throws ApiError when the server refuses it; whatever `fetch` throws when there is no answer.
 */
export const uploadImage = async (file: File, { bucket, fileName }: UploadFields): Promise<string> => {
  const form = new FormData();
  form.set('bucket', bucket);
  form.set('fileName', fileName);
  form.set('file', file);
  return uploadAnswerSchema.parse(await requestForm('POST', '/api/upload', form)).url;
};
