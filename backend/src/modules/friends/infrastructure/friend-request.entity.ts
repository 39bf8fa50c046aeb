import type { FriendRequestStatus } from '@thaw/contract/friends';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** A row of the read model `friend_requests`. */
@Entity({ name: 'friend_requests' })
export class FriendRequestEntity {
  @PrimaryColumn({ type: 'bigint', transformer: bigintAsNumber })
  id: number;

  @Column({ name: 'requester_id', type: 'bigint', transformer: bigintAsNumber })
  requesterId: number;

  @Column({ name: 'addressee_id', type: 'bigint', transformer: bigintAsNumber })
  addresseeId: number;

  @Column({ type: 'text' })
  status: FriendRequestStatus;

  /** The addressee never sees a hidden request: it was sent within a day after they declined one of the same user. */
  @Column({ name: 'is_hidden', type: 'boolean' })
  isHidden: boolean;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
