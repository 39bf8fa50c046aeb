import type { Readable } from 'node:stream';

/** A file's bucket and its key, which may contain folders. The server chooses both, never a client. */
export interface FileAddress {
  bucket: string;
  key: string;
}

export interface StoredFile {
  size: number;
  /** The caller must read this to its end or destroy it. */
  content: Readable;
}

/**
 * Stores files. A file is available to every replica once the promise of `put` resolves, completely or not at all.
 * `put`, `open`, `remove` and `list` throw `DomainError unavailable` if the storage does not respond or is full.
 */
export interface FileStoragePort {
  /** Prepares the storage, for instance creates buckets; part of a migration. @throws Error if that is impossible. */
  prepare(): Promise<void>;

  /**
   * Checks at process start that the storage is usable. An unavailable storage passes, because the rest of the service
   * works without it.
   * @throws Error if the storage responds but is not prepared, or belongs to another account.
   */
  check(): Promise<void>;

  /** Stores a file, replacing an existing one. */
  put(address: FileAddress, content: Buffer, contentType: string): Promise<void>;

  /** Returns null if there is no such file. */
  open(address: FileAddress): Promise<StoredFile | null>;

  /** Succeeds also if there is no such file. */
  remove(address: FileAddress): Promise<void>;

  /** Yields the keys of a bucket's files, in no particular order. */
  list(bucket: string): AsyncGenerator<string>;

  close(): Promise<void>;
}

export const FILE_STORAGE_PORT = Symbol('FILE_STORAGE_PORT');

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const keyPattern = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/;

/**
 * Last line of defence: a key that could lead out of its bucket must not reach a storage.
 * @throws Error for an unsafe address, which is always a bug of the caller.
 */
export const requireSafeAddress = ({ bucket, key }: FileAddress): void => {
  const isSafe = bucketPattern.test(bucket) && !bucket.includes('..') && key.length <= 512;
  if (!isSafe || !keyPattern.test(key)) throw new Error('Not the address of a file');
};
