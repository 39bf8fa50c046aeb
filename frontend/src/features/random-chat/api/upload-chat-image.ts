import { uploadPicture, type UploadOptions } from '@/product/pictures/upload-picture';

export const uploadChatImage = (file: File, options: UploadOptions): Promise<string> =>
  uploadPicture(file, 'chat-images', file.name, options);
