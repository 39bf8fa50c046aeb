import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** The primary key of the friendship of two users, who can be passed in either order. */
export const toFriendshipKey = (
  userId: number,
  otherId: number,
): Pick<FriendshipEntity, 'lowId' | 'highId'> => ({
  lowId: Math.min(userId, otherId),
  highId: Math.max(userId, otherId),
});

/** A row of the read model `friendships`: a pair of users, the lower id first. */
@Entity({ name: 'friendships' })
export class FriendshipEntity {
  @PrimaryColumn({ name: 'low_id', type: 'bigint', transformer: bigintAsNumber })
  lowId: number;

  @PrimaryColumn({ name: 'high_id', type: 'bigint', transformer: bigintAsNumber })
  highId: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
