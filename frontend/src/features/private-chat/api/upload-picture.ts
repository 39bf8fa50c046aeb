import { uploadImage } from '@/lib/upload-image';

export const uploadPicture = (file: File): Promise<string> =>
  uploadImage(file, 'chat-images', `private-chat/${file.name}`);
