import type { Readable } from 'node:stream';

/** Where a file is: a bucket, and a name in it that may have folders. Both are ours, never a client's. */
export interface FileAddress {
  bucket: string;
  key: string;
}

export interface StoredFile {
  size: number;
  /** Whoever opens a file reads this to its end, or destroys it. */
  content: Readable;
}

/**
 * Keeps files. What is put is there for every replica once the promise resolves, whole or not at all. `put`, `open` and
 * `remove` throw `DomainError unavailable` when the storage is away or full.
 */
export interface FileStoragePort {
  /** Creates what files need to be kept; part of a migration. @throws Error when that is not possible. */
  prepare(): Promise<void>;

  /**
   * Looks whether files can be kept, at the start of a process. A storage that is away for now passes: the rest of the
   * service does without it.
   * @throws Error when the storage is there and is not prepared, or not ours.
   */
  check(): Promise<void>;

  /** Replaces what was there. */
  put(address: FileAddress, content: Buffer, contentType: string): Promise<void>;

  /** null when there is no such file. */
  open(address: FileAddress): Promise<StoredFile | null>;

  /** Done as well when there is no such file. */
  remove(address: FileAddress): Promise<void>;

  close(): Promise<void>;
}

export const FILE_STORAGE_PORT = Symbol('FILE_STORAGE_PORT');

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const keyPattern = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/;

/**
 * A last line of defence: a name that could lead out of its bucket must not reach any storage.
 * @throws Error, because whoever lets such a name come this far is wrong.
 */
export const requireSafeAddress = ({ bucket, key }: FileAddress): void => {
  const isSafe = bucketPattern.test(bucket) && !bucket.includes('..') && key.length <= 512;
  if (!isSafe || !keyPattern.test(key)) throw new Error('Not the address of a file');
};
