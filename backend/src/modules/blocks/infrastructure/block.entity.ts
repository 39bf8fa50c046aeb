import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** A row of the read model `blocks`: one user has blocked another. */
@Entity({ name: 'blocks' })
export class BlockEntity {
  @PrimaryColumn({ name: 'blocker_id', type: 'bigint', transformer: bigintAsNumber })
  blockerId: number;

  @PrimaryColumn({ name: 'blocked_id', type: 'bigint', transformer: bigintAsNumber })
  blockedId: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
