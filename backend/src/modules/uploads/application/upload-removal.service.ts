import { Inject, Injectable, Logger } from '@nestjs/common';
import type { UploadAddress } from '@thaw/contract/uploads';
import type { EntityManager } from 'typeorm';
import type { DroppedData } from '../../../platform/event-store/personal-data.repository';
import { DomainError } from '../../../platform/errors/domain.errors';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { UploadRepository } from '../infrastructure/upload.repository';
import { listShownImages } from './shown-image.mapper';
import { UNFINISHED_REMOVED_AFTER_MS, UNUSED_REMOVED_AFTER_MS } from './upload-lifetime.limits';

/** A statement removes at most this number of images; `removeUnusedAndUnfinished` repeats it. */
const MAX_REMOVED_PER_STATEMENT = 1_000;
/** Number of removed images that are read at a time. Their files are deleted concurrently. */
const FILES_PER_PAGE = 16;

/**
 * Removes images in three steps: one statement marks the image as removed, which makes it invisible to everyone; then
 * the file is deleted; then the row is deleted. After a crash between two steps, the next sweep continues.
 */
@Injectable()
export class UploadRemovalService {
  private readonly logger = new Logger(UploadRemovalService.name);

  constructor(
    private readonly uploads: UploadRepository,
    @Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort,
  ) {}

  /**
   * Removes the images of messages that have expired, except images that another message shows. From the commit on, the
   * removed ones are invisible to everyone. The next sweep deletes their files.
   * @param dropped the data of the messages before they expired
   */
  async releaseImagesOf(dropped: readonly DroppedData[], manager: EntityManager): Promise<void> {
    await this.uploads.releaseUses(dropped.flatMap(listShownImages), new Date(), manager);
  }

  /**
   * Removes all images of a user, and revokes the user's access to images of others. From the commit on, the user's
   * images are invisible to everyone. `deleteFilesByOwner` deletes the files.
   * @returns the number of removed images.
   */
  removeAllByOwner(ownerId: number, manager: EntityManager): Promise<number> {
    return this.uploads.removeAllByOwner(ownerId, new Date(), manager);
  }

  /**
   * Deletes the files of all removed images of a user, except those that a case keeps as evidence.
   * @throws DomainError unavailable when the storage does not respond. The next call deletes the remaining files.
   */
  async deleteFilesByOwner(ownerId: number): Promise<void> {
    for (;;) {
      const removed = await this.uploads.findRemovedByOwner(ownerId, FILES_PER_PAGE);
      if (removed.length === 0) return;
      const deletedKeys = await this.deleteFiles(removed);
      if (deletedKeys.length < removed.length) throw new DomainError('unavailable');
    }
  }

  /**
   * Removes images that no message or profile shows (unused) and uploads that were not completed (unfinished), then
   * deletes the files of all removed images, except those that a case keeps as evidence.
   * @returns the number of deleted files.
   */
  async sweep(now: Date): Promise<number> {
    await this.removeUnusedAndUnfinished(now);
    return this.deleteAllFiles();
  }

  private async removeUnusedAndUnfinished(now: Date): Promise<void> {
    const unusedBefore = new Date(now.getTime() - UNUSED_REMOVED_AFTER_MS);
    const unfinishedBefore = new Date(now.getTime() - UNFINISHED_REMOVED_AFTER_MS);
    let removedCount: number;
    do {
      removedCount = await this.uploads.removeUnusedAndUnfinished({
        unusedBefore,
        unfinishedBefore,
        now,
        limit: MAX_REMOVED_PER_STATEMENT,
      });
    } while (removedCount === MAX_REMOVED_PER_STATEMENT);
  }

  /** Deletes the files of all removed images that no case keeps. @returns the number of deleted files. */
  private async deleteAllFiles(): Promise<number> {
    let deletedCount = 0;
    let failedCount = 0;
    // Each page continues after the last key, because images whose file could not be deleted keep their row.
    let lastKey = ''; // precedes every key
    for (;;) {
      const removed = await this.uploads.findRemoved(lastKey, FILES_PER_PAGE);
      const last = removed.at(-1);
      if (!last) break;
      lastKey = last.key;
      const deletedKeys = await this.deleteFiles(removed);
      deletedCount += deletedKeys.length;
      failedCount += removed.length - deletedKeys.length;
      // The storage is unavailable: do not try the remaining files.
      if (deletedKeys.length === 0) break;
    }
    if (failedCount > 0)
      this.logger.warn(`${failedCount} files could not be removed; the next sweep tries again`);
    return deletedCount;
  }

  /** Deletes files, and the rows of those that could be deleted. @returns the keys of the deleted files. */
  private async deleteFiles(addresses: readonly UploadAddress[]): Promise<string[]> {
    // The storage logs its failures.
    const results = await Promise.allSettled(addresses.map((address) => this.storage.remove(address)));
    const deletedKeys = addresses.flatMap(({ key }, index) =>
      results[index]?.status === 'fulfilled' ? key : [],
    );
    await this.uploads.deleteRemoved(deletedKeys);
    return deletedKeys;
  }
}
