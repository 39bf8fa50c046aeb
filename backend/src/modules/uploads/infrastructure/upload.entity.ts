import type { UploadBucket } from '@thaw/contract/uploads';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** An uploaded image. The row is inserted before the file is stored, and deleted after the file is deleted. */
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

  /** SHA-256 of the file as it was uploaded, in hex; null for images that an earlier release stored. */
  @Column({ type: 'text', nullable: true })
  sha256: string | null;

  /** Difference hash of the picture, in hex; similar pictures have similar hashes. Null as for `sha256`. */
  @Column({ type: 'text', nullable: true })
  dhash: string | null;

  /** Size of the stored file in bytes. */
  @Column({ type: 'int' })
  size: number;

  /** In pixels, like the height. */
  @Column({ type: 'int' })
  width: number;

  @Column({ type: 'int' })
  height: number;

  /** When the upload started. */
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  /** When the file was completely stored; null until then. */
  @Column({ name: 'stored_at', type: 'timestamptz', nullable: true })
  storedAt: Date | null;

  /** Since when no message or profile has shown the image; null while one shows it. */
  @Column({ name: 'unused_since', type: 'timestamptz', nullable: true })
  unusedSince: Date | null;

  /** When the image became invisible to everyone; null until then. The file is deleted later. */
  @Column({ name: 'removed_at', type: 'timestamptz', nullable: true })
  removedAt: Date | null;
}
