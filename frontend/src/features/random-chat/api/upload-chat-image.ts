import { uploadImage } from '@/chat-ui/upload-image';

export const uploadChatImage = (file: File): Promise<string> =>
  uploadImage(file, { bucket: 'chat-images', fileName: file.name });
