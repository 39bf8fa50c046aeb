import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { EntityManager } from 'typeorm';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { type ImageSize, UploadRepository } from '../infrastructure/upload.repository';

export type { ImageSize };

export interface HeldImage {
  contentType: string;
  size: number;
  /** The caller must read this to its end or destroy it. */
  content: Readable;
}

/**
 * Images that are evidence in a case. They are removed as usual, so that no user can see them, but their files are kept
 * until the last case releases them. The next sweep then deletes the files of removed images.
 */
@Injectable()
export class HeldImagesService {
  constructor(
    private readonly uploads: UploadRepository,
    @Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort,
  ) {}

  /** The owners and sizes of images that exist. */
  describe(keys: readonly string[]): Promise<ImageSize[]> {
    return this.uploads.findSizes(keys);
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
   * Opens an image that a case holds, even if it was removed. Only for moderators.
   * @returns null when it is not held, or has no file.
   * @throws DomainError unavailable
   */
  async open(key: string): Promise<HeldImage | null> {
    const upload = await this.uploads.findHeld(key);
    if (!upload) return null;
    const file = await this.storage.open({ bucket: upload.bucket, key });
    return file && { contentType: upload.contentType, size: upload.size, content: file.content };
  }
}
