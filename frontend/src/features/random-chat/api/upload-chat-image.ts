import { type UploadOptions } from '@/product/pictures/upload-image';
import { scaleAndUploadImage } from '@/product/pictures/upload-picture';

export const uploadChatImage = (file: File, options: UploadOptions): Promise<string> =>
  scaleAndUploadImage(file, 'chat-images', file.name, options);
