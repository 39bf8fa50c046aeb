import * as z from 'zod/mini';

export const uploadBucketSchema = z.enum(['chat-images', 'avatars']);
export type UploadBucket = z.infer<typeof uploadBucketSchema>;

/** The folders that a file name may ask for; of everything else in it nothing is kept (A99). */
export const uploadPrefixes = ['profiles/', 'private-chat/'] as const;

/** POST /api/upload, beside its `file`. */
export const uploadFieldsSchema = z.object({ bucket: uploadBucketSchema, fileName: z.string() });
export type UploadFields = z.infer<typeof uploadFieldsSchema>;

/** Its answer. The address is relative: `/api/files/<bucket>/<key>`. */
export const uploadAnswerSchema = z.object({ url: z.string() });
export type UploadAnswer = z.infer<typeof uploadAnswerSchema>;

/** A stored image: its bucket, and its name in there. */
export interface UploadAddress {
  bucket: UploadBucket;
  key: string;
}

const keyPattern =
  /^(?:profiles\/|private-chat\/)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:jpg|webp)$/;
const urlPattern = /^\/api\/files\/([^/]+)\/(.+)$/;

export const isUploadKey = (text: string): boolean => keyPattern.test(text);

export const uploadUrl = ({ bucket, key }: UploadAddress): string => `/api/files/${bucket}/${key}`;

/** What an address as `uploadUrl` makes them is the address of; null for every other text, however near. */
export const parseUploadUrl = (url: string): UploadAddress | null => {
  const [, bucket, key] = urlPattern.exec(url) ?? [];
  const parsed = uploadBucketSchema.safeParse(bucket);
  return parsed.success && key !== undefined && isUploadKey(key) ? { bucket: parsed.data, key } : null;
};
