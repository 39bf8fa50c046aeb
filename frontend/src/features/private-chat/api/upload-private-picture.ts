import { type UploadOptions } from '@/product/pictures/upload-image';
import { scaleAndUploadImage } from '@/product/pictures/upload-picture';

/** Uploads a picture of a private message; resolves to its URL. */
export const uploadPrivatePicture = (file: File, options: UploadOptions): Promise<string> =>
  scaleAndUploadImage(file, 'chat-images', `private-chat/${file.name}`, options);
