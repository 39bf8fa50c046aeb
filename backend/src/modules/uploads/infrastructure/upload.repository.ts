import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { UploadAddress, UploadBucket } from '@thaw/contract/uploads';
import { type EntityManager, In, IsNull, MoreThan, Not, Repository } from 'typeorm';
import { BlockListService } from '../../blocks/application/block-list.service';
import type { ShownImage } from '../application/shown-image.mapper';
import { UploadEntity } from './upload.entity';

export type NewUpload = Pick<
  UploadEntity,
  'key' | 'bucket' | 'ownerId' | 'contentType' | 'sha256' | 'dhash' | 'size' | 'width' | 'height'
>;

export type ImageSize = Pick<UploadEntity, 'key' | 'ownerId' | 'width' | 'height'>;

@Injectable()
export class UploadRepository {
  constructor(@InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>) {}

  /** Inserts the row before the file is stored, so that a file without a row never exists. */
  async insertUnfinished(upload: NewUpload, now: Date): Promise<void> {
    await this.uploads.insert({ ...upload, createdAt: now, unusedSince: now });
  }

  /** @returns false when the upload took so long that it was removed as abandoned. */
  async markStored(key: string, now: Date): Promise<boolean> {
    const { affected } = await this.uploads.update({ key, removedAt: IsNull() }, { storedAt: now });
    return affected === 1;
  }

  /**
   * The image, if the viewer may see it: an avatar, their own upload, or an image sent to them (A100). Never an image
   * of a user who has blocked the viewer.
   */
  async findVisible({ bucket, key }: UploadAddress, viewerId: number): Promise<UploadEntity | null> {
    return this.uploads
      .createQueryBuilder('upload')
      .where('upload.key = :key AND upload.bucket = :bucket', { key, bucket })
      .andWhere('upload.storedAt IS NOT NULL AND upload.removedAt IS NULL')
      .andWhere(
        `(upload.bucket = 'avatars' OR upload.ownerId = :viewerId OR EXISTS (
           SELECT 1 FROM upload_views WHERE upload_views.key = upload.key AND upload_views.viewer_id = :viewerId))`,
        { viewerId },
      )
      .andWhere(`NOT ${BlockListService.buildHasBlockedSql('upload.ownerId', ':viewerId')}`)
      .getOne();
  }

  /** Whether the user owns all of these, and none has been unused since before `unusedAfter`. */
  async areOwned(
    keys: readonly string[],
    bucket: UploadBucket,
    ownerId: number,
    unusedAfter: Date,
  ): Promise<boolean> {
    const ownImage = { key: In([...keys]), bucket, ownerId, storedAt: Not(IsNull()), removedAt: IsNull() };
    const count = await this.uploads.countBy([
      { ...ownImage, unusedSince: IsNull() },
      { ...ownImage, unusedSince: MoreThan(unusedAfter) },
    ]);
    return count === new Set(keys).size;
  }

  /**
   * Grants a viewer access to chat images, all or none. Restarts the images' unused period, which lasts until a message
   * shows them.
   * @returns false, with nothing granted, when one of them is gone.
   */
  async grant(keys: readonly string[], viewerId: number, now: Date): Promise<boolean> {
    const uniqueKeys = [...new Set(keys)];
    return this.uploads.manager.transaction(async (manager) => {
      const rows = await manager.query<unknown[]>(
        `WITH shared AS (
           UPDATE uploads SET unused_since = CASE WHEN unused_since IS NULL THEN NULL ELSE $2::timestamptz END
           WHERE key IN (
             SELECT key FROM uploads
             WHERE key = ANY($1) AND bucket = 'chat-images' AND stored_at IS NOT NULL AND removed_at IS NULL
             ORDER BY key FOR UPDATE
           ) RETURNING key
         ) SELECT key FROM shared`,
        [uniqueKeys, now],
      );
      if (rows.length < uniqueKeys.length) return false;
      await manager.query(
        `INSERT INTO upload_views (key, viewer_id) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING`,
        [uniqueKeys, viewerId],
      );
      return true;
    });
  }

  /**
   * Called when messages stop showing their images: receivers lose access unless another message shows the image, and
   * images without any message are removed.
   */
  async releaseUses(images: readonly ShownImage[], now: Date, manager: EntityManager): Promise<void> {
    if (images.length === 0) return;
    const keys = [...new Set(images.map(({ key }) => key))];
    // Concurrent releases lock the same rows, so that one of them sees that it is the last.
    await manager.query('SELECT 1 FROM uploads WHERE key = ANY($1) ORDER BY key FOR UPDATE', [keys]);
    await manager.query(
      `DELETE FROM upload_uses AS used
       USING unnest($1::text[], $2::text[], $3::uuid[]) AS gone (key, stream_id, event_id)
       WHERE used.key = gone.key AND used.stream_id = gone.stream_id AND used.event_id = gone.event_id`,
      [
        images.map(({ key }) => key),
        images.map(({ streamId }) => streamId),
        images.map(({ eventId }) => eventId),
      ],
    );
    await manager.query(
      `DELETE FROM upload_views AS view
       USING unnest($1::text[], $2::bigint[]) AS gone (key, viewer_id)
       WHERE view.key = gone.key AND view.viewer_id = gone.viewer_id AND NOT EXISTS (
         SELECT 1 FROM upload_uses used
         WHERE used.key = view.key AND (used.viewer_id = view.viewer_id OR used.viewer_id IS NULL))`,
      [images.map(({ key }) => key), images.map(({ receiverId }) => receiverId)],
    );
    await manager.query(
      `UPDATE uploads SET removed_at = $3
       FROM unnest($1::text[], $2::bigint[]) AS gone (key, sender_id)
       WHERE uploads.key = gone.key AND owner_id = sender_id AND removed_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM upload_uses used WHERE used.key = uploads.key)`,
      [images.map(({ key }) => key), images.map(({ senderId }) => senderId), now],
    );
  }

  /**
   * Marks up to `limit` images as removed: those unused since before `unusedBefore`, and those whose upload started
   * before `unfinishedBefore` and did not finish.
   * @returns the number of images.
   */
  async removeOrphans(unusedBefore: Date, unfinishedBefore: Date, now: Date, limit: number): Promise<number> {
    const rows = await this.uploads.query<{ key: string }[]>(
      `WITH orphans AS (
         SELECT key FROM uploads
         WHERE removed_at IS NULL AND (unused_since < $1 OR (stored_at IS NULL AND created_at < $2))
         LIMIT $4 FOR UPDATE SKIP LOCKED
       ), removed AS (
         UPDATE uploads SET removed_at = $3 FROM orphans WHERE uploads.key = orphans.key RETURNING uploads.key
       ) SELECT key FROM removed`,
      [unusedBefore, unfinishedBefore, now, limit],
    );
    return rows.length;
  }

  /** Marks all images of a user as removed, and takes all their grants. @returns the number of images. */
  async removeAllOf(ownerId: number, now: Date, manager: EntityManager): Promise<number> {
    const [, count] = await manager.query<[unknown, number]>(
      'UPDATE uploads SET removed_at = $2 WHERE owner_id = $1 AND removed_at IS NULL',
      [ownerId, now],
    );
    await manager.query('DELETE FROM upload_views WHERE viewer_id = $1', [ownerId]);
    return count;
  }

  /** Removed images of a user whose file may still exist and which no case holds. */
  findRemovedOf(ownerId: number, limit: number): Promise<UploadAddress[]> {
    return this.uploads.query<UploadAddress[]>(
      `SELECT bucket, key FROM uploads
       WHERE owner_id = $1 AND removed_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM upload_holds WHERE upload_holds.key = uploads.key)
       LIMIT $2`,
      [ownerId, limit],
    );
  }

  /** Removed images whose file may still exist and which no case holds, ordered by key. */
  findRemoved(afterKey: string, limit: number): Promise<UploadAddress[]> {
    return this.uploads.query<UploadAddress[]>(
      `SELECT bucket, key FROM uploads
       WHERE removed_at IS NOT NULL AND key > $1
         AND NOT EXISTS (SELECT 1 FROM upload_holds WHERE upload_holds.key = uploads.key)
       ORDER BY key LIMIT $2`,
      [afterKey, limit],
    );
  }

  /** Deletes the rows of removed images, after their files are deleted. */
  async deleteRemoved(keys: readonly string[]): Promise<void> {
    await this.uploads.query(
      `WITH gone AS (DELETE FROM uploads WHERE key = ANY($1) AND removed_at IS NOT NULL RETURNING key)
       DELETE FROM upload_uses USING gone WHERE upload_uses.key = gone.key`,
      [keys],
    );
  }

  findSizes(keys: readonly string[]): Promise<ImageSize[]> {
    const select = { key: true, ownerId: true, width: true, height: true };
    return this.uploads.find({ select, where: { key: In([...keys]), storedAt: Not(IsNull()) } });
  }

  async insertHolds(keys: readonly string[], caseId: number, manager: EntityManager): Promise<void> {
    if (keys.length === 0) return;
    await manager.query(
      'INSERT INTO upload_holds (key, case_id) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING',
      [keys, caseId],
    );
  }

  async deleteHolds(caseId: number, manager: EntityManager): Promise<void> {
    await manager.query('DELETE FROM upload_holds WHERE case_id = $1', [caseId]);
  }

  /** The image if a case holds it, even if it was removed. */
  findHeld(key: string): Promise<UploadEntity | null> {
    return this.uploads
      .createQueryBuilder('upload')
      .where('upload.key = :key AND upload.storedAt IS NOT NULL', { key })
      .andWhere('EXISTS (SELECT 1 FROM upload_holds WHERE upload_holds.key = upload.key)')
      .getOne();
  }
}
