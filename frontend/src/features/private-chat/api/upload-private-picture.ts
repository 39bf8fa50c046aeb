import { uploadPicture, type UploadOptions } from '@/product/pictures/upload-picture';

export const uploadPrivatePicture = (file: File, options: UploadOptions): Promise<string> =>
  uploadPicture(file, 'chat-images', `private-chat/${file.name}`, options);
