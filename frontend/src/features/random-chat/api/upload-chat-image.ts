import { uploadImage } from '@/lib/upload-image';

export const uploadChatImage = (file: File): Promise<string> => uploadImage(file, 'chat-images', file.name);
