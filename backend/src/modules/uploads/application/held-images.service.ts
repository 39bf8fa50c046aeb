import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { EntityManager } from 'typeorm';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { type ImageDescription, UploadRepository } from '../infrastructure/upload.repository';

export type { ImageDescription };

export interface HeldImage {
  contentType: string;
  /** In bytes. */
  size: number;
  /** The caller must read this to its end or destroy it. */
  content: Readable;
}

/**
 * Images that a case holds as evidence; a case is a matter about one user that moderators decide. A held image can
 * still be removed, for example when its message expires: users then no longer see it, but its file is kept. After the
 * last case has released a removed image, the next sweep deletes the file.
 */
@Injectable()
export class HeldImagesService {
  constructor(
    private readonly uploads: UploadRepository,
    @Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort,
  ) {}

  /** Returns the owners and pixel sizes of stored images, even if they are removed. Leaves out unknown keys. */
  findDescriptions(keys: readonly string[]): Promise<ImageDescription[]> {
    return this.uploads.findDescriptions(keys);
  }

  /** Holds images for a case. Idempotent. */
  hold(keys: readonly string[], caseId: number, manager: EntityManager): Promise<void> {
    return this.uploads.insertHolds(keys, caseId, manager);
  }

  /** Ends all holds of a case. Idempotent. */
  release(caseId: number, manager: EntityManager): Promise<void> {
    return this.uploads.deleteHolds(caseId, manager);
  }

  /**
   * Opens an image that a case holds, even if it was removed. The caller must check that the reader is a moderator.
   * @returns null when no case holds the image, or the image has no file.
   * @throws DomainError unavailable when the storage does not respond.
   */
  async open(key: string): Promise<HeldImage | null> {
    const upload = await this.uploads.findHeld(key);
    if (!upload) return null;
    const file = await this.storage.open({ bucket: upload.bucket, key });
    return file && { contentType: upload.contentType, size: upload.size, content: file.content };
  }
}
