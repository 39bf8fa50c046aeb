import { type UploadBucket } from '@thaw/contract/uploads';
import { scaleDown } from '@/product/pictures/scale-picture';
import { uploadImage, type UploadOptions } from '@/product/pictures/upload-image';

export type { UploadOptions };

/**
 * Scales a large picture down and uploads it (A95).
 * @throws the errors of `uploadImage`.
 */
export const uploadPicture = async (
  file: File,
  bucket: UploadBucket,
  fileName: string,
  options: UploadOptions,
): Promise<string> => {
  const picture = await scaleDown(file);
  options.signal?.throwIfAborted();
  return uploadImage(picture, bucket, fileName, options);
};
