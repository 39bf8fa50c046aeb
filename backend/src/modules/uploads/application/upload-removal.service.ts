import { Inject, Injectable, Logger } from '@nestjs/common';
import type { UploadAddress } from '@thaw/contract/uploads';
import type { EntityManager } from 'typeorm';
import type { DroppedData } from '../../../platform/event-store/personal-data.repository';
import { DomainError } from '../../../platform/errors/domain.errors';
import { FILE_STORAGE_PORT, type FileStoragePort } from '../../../platform/storage/file-storage.port';
import { UploadRepository } from '../infrastructure/upload.repository';
import { listShownImages } from './shown-image.mapper';
import { UNFINISHED_REMOVED_AFTER_MS, UNUSED_REMOVED_AFTER_MS } from './upload-lifetime.limits';

const MAX_ORPHANS_PER_SWEEP = 1_000;
const FILES_PER_PAGE = 16;

/**
 * Removes images in three steps: revoke all access, in one statement; delete the file; delete the row. A crash between
 * two steps leaves nothing visible, and the next sweep continues.
 */
@Injectable()
export class UploadRemovalService {
  private readonly logger = new Logger(UploadRemovalService.name);

  constructor(
    private readonly uploads: UploadRepository,
    @Inject(FILE_STORAGE_PORT) private readonly storage: FileStoragePort,
  ) {}

  /**
   * Handles expired messages: from the commit on, images that no other message shows are invisible to everyone. The
   * next sweep deletes their files.
   */
  async expire(dropped: readonly DroppedData[], manager: EntityManager): Promise<void> {
    await this.uploads.releaseUses(dropped.flatMap(listShownImages), new Date(), manager);
  }

  /**
   * Removes all images of a user, and their access to images of others: from the commit on they are invisible to
   * everyone. `removeFilesOf` deletes the files. @returns the number of images.
   */
  expireAllOf(ownerId: number, manager: EntityManager): Promise<number> {
    return this.uploads.removeAllOf(ownerId, new Date(), manager);
  }

  /**
   * Deletes the files of all removed images of a user that no case holds.
   * @throws DomainError unavailable when the storage does not respond; the rest is deleted by the next call.
   */
  async removeFilesOf(ownerId: number): Promise<void> {
    for (;;) {
      const removed = await this.uploads.findRemovedOf(ownerId, FILES_PER_PAGE);
      if (removed.length === 0) return;
      const keys = await this.removeFiles(removed);
      if (keys.length < removed.length) throw new DomainError('unavailable');
    }
  }

  /**
   * Removes unused images, then deletes the files of all removed images.
   * @returns the number of deleted files.
   */
  async sweep(now: Date): Promise<number> {
    const unusedBefore = new Date(now.getTime() - UNUSED_REMOVED_AFTER_MS);
    const unfinishedBefore = new Date(now.getTime() - UNFINISHED_REMOVED_AFTER_MS);
    let orphanCount: number;
    do {
      orphanCount = await this.uploads.removeOrphans(
        unusedBefore,
        unfinishedBefore,
        now,
        MAX_ORPHANS_PER_SWEEP,
      );
    } while (orphanCount === MAX_ORPHANS_PER_SWEEP);

    let deletedCount = 0;
    let failedCount = 0;
    let removed = await this.uploads.findRemoved('', FILES_PER_PAGE);
    while (removed.length > 0) {
      const keys = await this.removeFiles(removed);
      deletedCount += keys.length;
      failedCount += removed.length - keys.length;
      // The storage is unavailable: do not try the remaining files.
      if (keys.length === 0) break;
      removed = await this.uploads.findRemoved(removed.at(-1)?.key ?? '', FILES_PER_PAGE);
    }
    if (failedCount > 0)
      this.logger.warn(`${failedCount} files could not be removed; the next sweep tries again`);
    return deletedCount;
  }

  /** @returns the keys of the deleted files. */
  private async removeFiles(addresses: readonly UploadAddress[]): Promise<string[]> {
    const results = await Promise.allSettled(addresses.map((address) => this.storage.remove(address)));
    const keys = addresses.flatMap(({ key }, index) => (results[index]?.status === 'fulfilled' ? key : []));
    await this.uploads.deleteRemoved(keys);
    return keys;
  }
}
