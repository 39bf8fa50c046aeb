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

/** The key of an image, its owner, and its width and height in pixels. */
export type ImageDescription = Pick<UploadEntity, 'key' | 'ownerId' | 'width' | 'height'>;

/**
 * Stores images, except for their files, in `uploads` and three further tables. `upload_uses` contains the messages
 * that show an image. `upload_views` contains the users who may view a chat image because it was sent to them.
 * `upload_holds` contains the cases (matters about one user that moderators decide) that hold an image as evidence.
 *
 * `unused_since` is null while a message or a profile shows the image. A removed image has a `removed_at` and is
 * invisible to everyone; its file and then its row are deleted later.
 */
@Injectable()
export class UploadRepository {
  constructor(@InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>) {}

  /** Inserts the row of an image before its file is stored, so that a file without a row never exists. */
  async insertUnfinished(upload: NewUpload, now: Date): Promise<void> {
    await this.uploads.insert({ ...upload, createdAt: now, unusedSince: now });
  }

  /** @returns false when the upload took so long that a sweep has removed it. */
  async markStored(key: string, now: Date): Promise<boolean> {
    const { affected } = await this.uploads.update({ key, removedAt: IsNull() }, { storedAt: now });
    return affected === 1;
  }

  /**
   * Finds an image that the viewer may see: an avatar, their own upload, or an image that was sent to them. Images of a
   * user who has blocked the viewer are never found. Source: docs/product-decisions.md, A100.
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

  /**
   * Whether the user owns all of these images and can use them in a message or profile. An unused image can be used
   * only if its `unused_since` is after `unusedAfter`, because a sweep may remove older ones.
   */
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
   * Grants a viewer access to all of the chat images, or to none. For images that no message shows yet, the time
   * without use starts again (`unused_since` becomes `now`), so that no sweep removes them before their message is
   * stored.
   * @returns false, with no access granted, when one of the images does not exist or is removed.
   */
  async grant(keys: readonly string[], viewerId: number, now: Date): Promise<boolean> {
    const uniqueKeys = [...new Set(keys)];
    return this.uploads.manager.transaction(async (manager) => {
      // Rows are locked in the order of their keys, so that concurrent statements do not deadlock. The final SELECT
      // makes TypeORM return the rows only; for an UPDATE it returns a pair of rows and count.
      const rows = await manager.query<unknown[]>(
        `WITH granted AS (
           UPDATE uploads SET unused_since = CASE WHEN unused_since IS NULL THEN NULL ELSE $2::timestamptz END
           WHERE key IN (
             SELECT key FROM uploads
             WHERE key = ANY($1) AND bucket = 'chat-images' AND stored_at IS NOT NULL AND removed_at IS NULL
             ORDER BY key FOR UPDATE
           ) RETURNING key
         ) SELECT key FROM granted`,
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
   * Called when messages stop showing their images. Receivers lose access to an image unless another message shows it
   * to them. Images that no message shows any more are removed.
   */
  async releaseUses(images: readonly ShownImage[], now: Date, manager: EntityManager): Promise<void> {
    if (images.length === 0) return;
    const keys = [...new Set(images.map(({ key }) => key))];
    // Concurrent releases of an image wait for each other here, so that the last one finds no use of it.
    await manager.query('SELECT 1 FROM uploads WHERE key = ANY($1) ORDER BY key FOR UPDATE', [keys]);
    await deleteUses(images, manager);
    await revokeReceivers(images, manager);
    await removeUnusedBySenders(images, now, manager);
  }

  /**
   * Marks at most `limit` images as removed: images that have been unused since a time before `unusedBefore`, and
   * unfinished uploads that started before `unfinishedBefore`.
   * @returns the number of removed images.
   */
  async removeUnusedAndUnfinished({
    unusedBefore,
    unfinishedBefore,
    now,
    limit,
  }: {
    unusedBefore: Date;
    unfinishedBefore: Date;
    now: Date;
    limit: number;
  }): Promise<number> {
    const rows = await this.uploads.query<{ key: string }[]>(
      `WITH candidates AS (
         SELECT key FROM uploads
         WHERE removed_at IS NULL AND (unused_since < $1 OR (stored_at IS NULL AND created_at < $2))
         LIMIT $4 FOR UPDATE SKIP LOCKED
       ), removed AS (
         UPDATE uploads SET removed_at = $3 FROM candidates WHERE uploads.key = candidates.key RETURNING uploads.key
       ) SELECT key FROM removed`,
      [unusedBefore, unfinishedBefore, now, limit],
    );
    return rows.length;
  }

  /**
   * Marks all images of a user as removed, and revokes the user's access to images of others.
   * @returns the number of removed images.
   */
  async removeAllByOwner(ownerId: number, now: Date, manager: EntityManager): Promise<number> {
    const [, count] = await manager.query<[unknown, number]>(
      'UPDATE uploads SET removed_at = $2 WHERE owner_id = $1 AND removed_at IS NULL',
      [ownerId, now],
    );
    await manager.query('DELETE FROM upload_views WHERE viewer_id = $1', [ownerId]);
    return count;
  }

  /** Finds removed images of a user that no case holds. The files of some may be deleted already. */
  findRemovedByOwner(ownerId: number, limit: number): Promise<UploadAddress[]> {
    return this.uploads.query<UploadAddress[]>(
      `SELECT bucket, key FROM uploads
       WHERE owner_id = $1 AND removed_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM upload_holds WHERE upload_holds.key = uploads.key)
       LIMIT $2`,
      [ownerId, limit],
    );
  }

  /** Finds removed images that no case holds, ordered by key. The files of some may be deleted already. */
  findRemoved(afterKey: string, limit: number): Promise<UploadAddress[]> {
    return this.uploads.query<UploadAddress[]>(
      `SELECT bucket, key FROM uploads
       WHERE removed_at IS NOT NULL AND key > $1
         AND NOT EXISTS (SELECT 1 FROM upload_holds WHERE upload_holds.key = uploads.key)
       ORDER BY key LIMIT $2`,
      [afterKey, limit],
    );
  }

  /** Deletes the rows of removed images, after their files are deleted. The views are deleted by a foreign key. */
  async deleteRemoved(keys: readonly string[]): Promise<void> {
    await this.uploads.query(
      `WITH deleted AS (DELETE FROM uploads WHERE key = ANY($1) AND removed_at IS NOT NULL RETURNING key)
       DELETE FROM upload_uses USING deleted WHERE upload_uses.key = deleted.key`,
      [keys],
    );
  }

  /** Finds the owners and sizes of stored images, even if they are removed. */
  findDescriptions(keys: readonly string[]): Promise<ImageDescription[]> {
    const select = { key: true, ownerId: true, width: true, height: true };
    return this.uploads.find({ select, where: { key: In([...keys]), storedAt: Not(IsNull()) } });
  }

  /** Records that a case holds these images. Idempotent. */
  async insertHolds(keys: readonly string[], caseId: number, manager: EntityManager): Promise<void> {
    if (keys.length === 0) return;
    await manager.query(
      'INSERT INTO upload_holds (key, case_id) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING',
      [keys, caseId],
    );
  }

  /** Deletes all holds of a case. Idempotent. */
  async deleteHolds(caseId: number, manager: EntityManager): Promise<void> {
    await manager.query('DELETE FROM upload_holds WHERE case_id = $1', [caseId]);
  }

  /** Finds an image that a case holds, even if it was removed. */
  findHeld(key: string): Promise<UploadEntity | null> {
    return this.uploads
      .createQueryBuilder('upload')
      .where('upload.key = :key AND upload.storedAt IS NOT NULL', { key })
      .andWhere('EXISTS (SELECT 1 FROM upload_holds WHERE upload_holds.key = upload.key)')
      .getOne();
  }
}

const deleteUses = async (images: readonly ShownImage[], manager: EntityManager): Promise<void> => {
  await manager.query(
    `DELETE FROM upload_uses AS use
     USING unnest($1::text[], $2::text[], $3::uuid[]) AS message (key, stream_id, event_id)
     WHERE use.key = message.key AND use.stream_id = message.stream_id AND use.event_id = message.event_id`,
    [
      images.map(({ key }) => key),
      images.map(({ streamId }) => streamId),
      images.map(({ eventId }) => eventId),
    ],
  );
};

/**
 * Revokes the receivers' access to images that no other message shows them. A use without a viewer_id is a message of a
 * random chat, which names no receiver. Any viewer may be its receiver, so it keeps the access of all viewers.
 */
const revokeReceivers = async (images: readonly ShownImage[], manager: EntityManager): Promise<void> => {
  await manager.query(
    `DELETE FROM upload_views AS view
     USING unnest($1::text[], $2::bigint[]) AS message (key, receiver_id)
     WHERE view.key = message.key AND view.viewer_id = message.receiver_id AND NOT EXISTS (
       SELECT 1 FROM upload_uses use
       WHERE use.key = view.key AND (use.viewer_id = view.viewer_id OR use.viewer_id IS NULL))`,
    [images.map(({ key }) => key), images.map(({ receiverId }) => receiverId)],
  );
};

/** Removes the senders' own images without a use. A message may name an image of another user, which is not removed. */
const removeUnusedBySenders = async (
  images: readonly ShownImage[],
  now: Date,
  manager: EntityManager,
): Promise<void> => {
  await manager.query(
    `UPDATE uploads SET removed_at = $3
     FROM unnest($1::text[], $2::bigint[]) AS message (key, sender_id)
     WHERE uploads.key = message.key AND owner_id = sender_id AND removed_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM upload_uses use WHERE use.key = uploads.key)`,
    [images.map(({ key }) => key), images.map(({ senderId }) => senderId), now],
  );
};
