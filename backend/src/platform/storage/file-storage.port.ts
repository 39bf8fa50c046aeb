import type { Readable } from 'node:stream';

/** The bucket of a file, and its key there. The key may contain folders. The server chooses both, never a client. */
export interface FileAddress {
  bucket: string;
  key: string;
}

export interface StoredFile {
  /** In bytes. */
  size: number;
  /** The caller must read this to its end or destroy it. */
  content: Readable;
}

/**
 * Stores files. When the promise of `put` resolves, the complete file is available to every replica. A failed `put`
 * leaves no partial file. `put`, `open`, `remove` and `list` throw `DomainError unavailable` if the storage does not
 * respond or is full.
 */
export interface FileStoragePort {
  /**
   * Prepares the storage, for instance by creating buckets. Called when the database is migrated.
   * @throws Error if the storage cannot be prepared.
   */
  prepare(): Promise<void>;

  /**
   * Checks at process start that the storage is usable. Resolves, too, if the storage is unavailable, because the rest
   * of the service works without it.
   * @throws Error if the storage responds but is not prepared, or belongs to another account.
   */
  check(): Promise<void>;

  /** Stores a file, replacing an existing one. */
  put(address: FileAddress, content: Buffer, contentType: string): Promise<void>;

  /** @returns null if there is no such file. */
  open(address: FileAddress): Promise<StoredFile | null>;

  /** Succeeds also if there is no such file. */
  remove(address: FileAddress): Promise<void>;

  /** Yields the keys of all files of a bucket, in no particular order. */
  list(bucket: string): AsyncGenerator<string>;

  close(): Promise<void>;
}

export const FILE_STORAGE_PORT = Symbol('FILE_STORAGE_PORT');

/** Bucket names as S3 allows them. `requireSafeAddress` also excludes `..`. */
const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Names of `\w`, `-` and single dots, separated by `/`. No name starts or ends with a dot. */
const keyPattern = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/;

const MAX_KEY_LENGTH = 512;

/**
 * Refuses an address that could lead out of its bucket. Only a bug can produce one.
 * @throws Error for such an address.
 */
export const requireSafeAddress = ({ bucket, key }: FileAddress): void => {
  const isSafeBucket = bucketPattern.test(bucket) && !bucket.includes('..');
  const isSafeKey = keyPattern.test(key) && key.length <= MAX_KEY_LENGTH;
  if (!isSafeBucket || !isSafeKey) throw new Error('Not the address of a file');
};
