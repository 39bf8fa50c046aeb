import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { UploadAddress, UploadBucket } from '@thaw/contract/uploads';
import { In, IsNull, MoreThan, Not, Repository } from 'typeorm';
import { UploadEntity } from './upload.entity';

export type NewUpload = Pick<
  UploadEntity,
  'key' | 'bucket' | 'ownerId' | 'contentType' | 'size' | 'width' | 'height'
>;

@Injectable()
export class UploadRepository {
  constructor(@InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>) {}

  /** The row comes before the file: whatever happens in between, somebody knows that there may be one. */
  async begin(upload: NewUpload, now: Date): Promise<void> {
    await this.uploads.insert({ ...upload, createdAt: now, unusedSince: now });
  }

  /** @returns false when it took so long that the upload has been given up. */
  async finish(key: string, now: Date): Promise<boolean> {
    const { affected } = await this.uploads.update({ key, removedAt: IsNull() }, { storedAt: now });
    return affected === 1;
  }

  /** The image, if the viewer may see it: an avatar, his own, or one that was sent to him (A100). */
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
      .getOne();
  }

  /** Whether all of these are the user's, and none is unused since before `unusedAfter`. */
  async areOwned(
    keys: readonly string[],
    bucket: UploadBucket,
    ownerId: number,
    unusedAfter: Date,
  ): Promise<boolean> {
    const whole = { key: In([...keys]), bucket, ownerId, storedAt: Not(IsNull()), removedAt: IsNull() };
    const count = await this.uploads.countBy([
      { ...whole, unusedSince: IsNull() },
      { ...whole, unusedSince: MoreThan(unusedAfter) },
    ]);
    return count === new Set(keys).size;
  }

  /**
   * Lets somebody see chat images, all of them or none. Until a message shows them their time starts anew.
   * @returns false, with nothing granted, when one of them is gone.
   */
  async grant(keys: readonly string[], viewerId: number, now: Date): Promise<boolean> {
    const wanted = [...new Set(keys)];
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
        [wanted, now],
      );
      if (rows.length < wanted.length) return false;
      await manager.query(
        `INSERT INTO upload_views (key, viewer_id) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING`,
        [wanted, viewerId],
      );
      return true;
    });
  }

  async remove(keys: readonly string[], now: Date, manager = this.uploads.manager): Promise<void> {
    if (keys.length === 0) return;
    await manager.update(UploadEntity, { key: In([...keys]), removedAt: IsNull() }, { removedAt: now });
  }

  async removeAllOf(ownerId: number, now: Date): Promise<void> {
    await this.uploads.update({ ownerId, removedAt: IsNull() }, { removedAt: now });
  }

  /**
   * Removes images that nobody has shown since then, and those whose upload was never finished; `limit` at most.
   * @returns how many.
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

  /** Removed ones whose file may still be there, in order of their keys. */
  findRemoved(afterKey: string, limit: number): Promise<UploadAddress[]> {
    return this.uploads.query<UploadAddress[]>(
      'SELECT bucket, key FROM uploads WHERE removed_at IS NOT NULL AND key > $1 ORDER BY key LIMIT $2',
      [afterKey, limit],
    );
  }

  /** The last step: nothing is left to know of these. */
  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.uploads.delete({ key: In([...keys]), removedAt: Not(IsNull()) });
  }
}
