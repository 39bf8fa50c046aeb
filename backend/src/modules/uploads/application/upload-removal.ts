import { Inject, Injectable, Logger } from '@nestjs/common';
import type { UploadAddress } from '@thaw/contract/uploads';
import type { EntityManager } from 'typeorm';
import type { DroppedData } from '../../../platform/event-store/personal-data';
import { FILE_STORAGE, type FileStorage } from '../../../platform/storage/file-storage';
import { UploadRepository } from '../infrastructure/upload.repository';
import { shownImagesOf } from './shown-images';
import { UNFINISHED_REMOVED_AFTER_MS, UNUSED_REMOVED_AFTER_MS } from './upload-lifetimes';

const ORPHANS_AT_ONCE = 1_000;
const FILES_AT_ONCE = 16;

/**
 * How images go: first for everybody, in one statement; then the file; then the row. A crash between any two leaves
 * nothing that can be seen, and the next sweep goes on from there.
 */
@Injectable()
export class UploadRemoval {
  private readonly logger = new Logger(UploadRemoval.name);

  constructor(
    private readonly uploads: UploadRepository,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /**
   * Messages have expired: from the commit on, images that no other message shows are there for no viewer, and their
   * files go soon.
   */
  async expire(dropped: readonly DroppedData[], manager: EntityManager): Promise<void> {
    await this.uploads.release(dropped.flatMap(shownImagesOf), new Date(), manager);
  }

  /** Removes what nobody uses, and then the files of all that has been removed. @returns how many files are gone. */
  async sweep(now: Date): Promise<number> {
    const unusedBefore = new Date(now.getTime() - UNUSED_REMOVED_AFTER_MS);
    const unfinishedBefore = new Date(now.getTime() - UNFINISHED_REMOVED_AFTER_MS);
    let orphans: number;
    do {
      orphans = await this.uploads.removeOrphans(unusedBefore, unfinishedBefore, now, ORPHANS_AT_ONCE);
    } while (orphans === ORPHANS_AT_ONCE);

    let gone = 0;
    let kept = 0;
    let removed = await this.uploads.findRemoved('', FILES_AT_ONCE);
    while (removed.length > 0) {
      const keys = await this.removeFiles(removed);
      gone += keys.length;
      kept += removed.length - keys.length;
      // The storage is away: there is no use in asking it for every file.
      if (keys.length === 0) break;
      removed = await this.uploads.findRemoved(removed.at(-1)?.key ?? '', FILES_AT_ONCE);
    }
    if (kept > 0) this.logger.warn(`${kept} files could not be removed; the next sweep tries again`);
    return gone;
  }

  /** @returns the keys of those that are gone. */
  private async removeFiles(addresses: readonly UploadAddress[]): Promise<string[]> {
    const results = await Promise.allSettled(addresses.map((address) => this.storage.remove(address)));
    const keys = addresses.flatMap(({ key }, index) => (results[index]?.status === 'fulfilled' ? key : []));
    await this.uploads.forget(keys);
    return keys;
  }
}
