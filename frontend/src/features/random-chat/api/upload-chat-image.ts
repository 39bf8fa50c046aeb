import { uploadPicture, type UploadOptions } from '@/lib/upload-picture';

export const uploadChatImage = (file: File, options: UploadOptions): Promise<string> =>
  uploadPicture(file, 'chat-images', file.name, options);
