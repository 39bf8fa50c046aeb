import type { UploadBucket } from '@thaw/contract/uploads';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** An image. The row exists from before the file is stored until after it is deleted. */
@Entity({ name: 'uploads' })
export class UploadEntity {
  @PrimaryColumn({ type: 'text' })
  key: string;

  @Column({ type: 'text' })
  bucket: UploadBucket;

  @Column({ name: 'owner_id', type: 'bigint', transformer: bigintAsNumber })
  ownerId: number;

  @Column({ name: 'content_type', type: 'text' })
  contentType: string;

  /** Of the file as it was sent, in hex. Null for images of releases that stored none. */
  @Column({ type: 'text', nullable: true })
  sha256: string | null;

  /** Difference hash of the picture, in hex; null for images of earlier releases. */
  @Column({ type: 'text', nullable: true })
  dhash: string | null;

  @Column({ type: 'int' })
  size: number;

  @Column({ type: 'int' })
  width: number;

  @Column({ type: 'int' })
  height: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'stored_at', type: 'timestamptz', nullable: true })
  storedAt: Date | null;

  @Column({ name: 'unused_since', type: 'timestamptz', nullable: true })
  unusedSince: Date | null;

  @Column({ name: 'removed_at', type: 'timestamptz', nullable: true })
  removedAt: Date | null;
}
