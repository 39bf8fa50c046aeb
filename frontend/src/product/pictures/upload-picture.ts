import { type UploadBucket } from '@thaw/contract/uploads';
import { scaleDown } from '@/product/pictures/scale-picture';
import { uploadImage, type UploadOptions } from '@/product/pictures/upload-image';

/**
 * Scales a large picture down and uploads it. Returns its address.
 * @throws the errors of `uploadImage`, and the error of a picture that could not be scaled.
 */
export const scaleAndUploadImage = async (
  file: File,
  bucket: UploadBucket,
  fileName: string,
  options: UploadOptions,
): Promise<string> => {
  const picture = await scaleDown(file);
  options.signal?.throwIfAborted();
  return uploadImage(picture, bucket, fileName, options);
};
