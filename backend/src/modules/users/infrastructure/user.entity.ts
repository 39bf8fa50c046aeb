import type { Gender } from '@thaw/contract/scalars';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** A row of the read model `users`. */
@Entity({ name: 'users' })
export class UserEntity {
  @PrimaryColumn({ type: 'bigint', transformer: bigintAsNumber })
  id: number;

  @Column({ type: 'text' })
  username: string;

  @Column({ type: 'text', nullable: true })
  avatar: string | null;

  @Column({ type: 'text', nullable: true })
  email: string | null;

  @Column({ type: 'text', nullable: true })
  gender: Gender | null;

  @Column({ name: 'is_anonymous', type: 'boolean' })
  isAnonymous: boolean;

  @Column({ name: 'is_moderator', type: 'boolean', default: false })
  isModerator: boolean;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
