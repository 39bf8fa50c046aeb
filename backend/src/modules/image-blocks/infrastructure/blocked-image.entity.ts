import type { HouseRule } from '@thaw/contract/safety';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** A row of the read model `blocked_images`: an image that no user can upload. */
@Entity({ name: 'blocked_images' })
export class BlockedImageEntity {
  /** Id of the block; events and commands call it `imageId`. */
  @PrimaryColumn({ type: 'bigint', transformer: bigintAsNumber })
  id: number;

  /** SHA-256 of the file as it was uploaded, in hex. */
  @Column({ type: 'text' })
  sha256: string;

  /** Difference hash of the picture, in hex; null if unknown, or if the picture has no structure (a plain colour). */
  @Column({ type: 'text', nullable: true })
  dhash: string | null;

  @Column({ type: 'text' })
  rule: HouseRule;

  /** The case whose decision blocked the image; null for a block outside a case. */
  @Column({ name: 'case_id', type: 'bigint', nullable: true, transformer: bigintAsNumber })
  caseId: number | null;

  @Column({ name: 'moderator_id', type: 'bigint', transformer: bigintAsNumber })
  moderatorId: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
