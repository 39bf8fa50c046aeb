import type { ModeratorAction } from '@thaw/contract/moderation-records';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** A row of the read model `moderator_actions`, the audit log of moderators' reads and changes. */
@Entity({ name: 'moderator_actions' })
export class ModeratorActionEntity {
  /** Global position of the event in the event log. */
  @PrimaryColumn({ type: 'bigint', transformer: bigintAsNumber })
  id: number;

  @Column({ name: 'moderator_id', type: 'bigint', transformer: bigintAsNumber })
  moderatorId: number;

  @Column({ type: 'text' })
  action: ModeratorAction;

  @Column({ name: 'case_id', type: 'bigint', nullable: true, transformer: bigintAsNumber })
  caseId: number | null;

  @Column({ name: 'user_id', type: 'bigint', nullable: true, transformer: bigintAsNumber })
  userId: number | null;

  @Column({ name: 'image_id', type: 'bigint', nullable: true, transformer: bigintAsNumber })
  imageId: number | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
