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
 * Images that a case holds as evidence. (A case is a matter about one user that moderators decide.) Users no longer see
 * an image after it is removed, for example because its message has expired. The next sweep deletes the file of a
 * removed image, unless a case still holds the image.
 */
@Injectable()
export class HeldImagesService {
  constructor(
    private readonly uploads: UploadRepository,
    @Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort,
  ) {}

  /** Returns the owners and pixel sizes of images, including removed ones. Leaves out unknown keys. */
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
   * Opens an image that a case holds, even if it was removed. The caller must check that the viewer is a moderator.
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
