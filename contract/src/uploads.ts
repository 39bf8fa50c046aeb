import * as z from 'zod/mini';

export const uploadBucketSchema = z.enum(['chat-images', 'avatars']);
export type UploadBucket = z.infer<typeof uploadBucketSchema>;

/**
 * The folders of a bucket, as prefixes of keys. The `fileName` of an upload may start with one of them. The server
 * discards the rest of the name. An image whose name starts with neither is stored without a folder.
 */
export const uploadPrefixes = ['profiles/', 'private-chat/'] as const;
export type UploadPrefix = (typeof uploadPrefixes)[number];

/** Form fields of POST /api/upload, besides `file`. */
export const uploadFieldsSchema = z.object({ bucket: uploadBucketSchema, fileName: z.string() });
export type UploadFields = z.infer<typeof uploadFieldsSchema>;

/** Response body of POST /api/upload. The URL is relative: `/api/files/<bucket>/<key>`. */
export const uploadResponseSchema = z.object({ url: z.string() });
export type UploadResponse = z.infer<typeof uploadResponseSchema>;

/** The location of a stored image: its bucket, and its key within the bucket. */
export interface UploadAddress {
  bucket: UploadBucket;
  key: string;
}

/** The parts of a key, in order. */
interface UploadKeyParts {
  /** A folder, or '' for none. */
  prefix: UploadPrefix | '';
  uuid: string;
  /** Whether a classifier, which can be wrong, considers the image explicit. The key then contains `.explicit`. */
  isExplicit: boolean;
  extension: 'jpg' | 'webp';
}

/** The key that the server assigns to an image. */
export const createUploadKey = ({ prefix, uuid, isExplicit, extension }: UploadKeyParts): string =>
  `${prefix}${uuid}${isExplicit ? '.explicit' : ''}.${extension}`;

const keyPattern =
  /^(?:profiles\/|private-chat\/)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.explicit)?\.(?:jpg|webp)$/;

/** Whether a text is a key that `createUploadKey` can return. */
export const isUploadKey = (text: string): boolean => keyPattern.test(text);

const urlPattern = /^\/api\/files\/([^/]+)\/(.+)$/;

/** The relative URL under which a stored image is served. */
export const uploadUrl = ({ bucket, key }: UploadAddress): string => `/api/files/${bucket}/${key}`;

/**
 * The inverse of `uploadUrl`.
 * @returns the location, or null for a text that `uploadUrl` does not return, such as an absolute URL
 */
export const parseUploadUrl = (url: string): UploadAddress | null => {
  const [, bucket, key = ''] = urlPattern.exec(url) ?? [];
  const parsedBucket = uploadBucketSchema.safeParse(bucket);
  if (!parsedBucket.success || !isUploadKey(key)) return null;
  return { bucket: parsedBucket.data, key };
};

/**
 * Whether a classifier, which can be wrong, considers the image of this URL explicit. Uploaders cannot influence the
 * answer, because the server assigns the key. False for any other text.
 */
export const mayBeExplicit = (url: string): boolean =>
  parseUploadUrl(url)?.key.includes('.explicit.') === true;
