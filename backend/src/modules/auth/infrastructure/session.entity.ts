import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** The current session of a login. Only the SHA-256 of a session id is stored, so a leaked table cannot be replayed. */
@Entity({ name: 'sessions' })
export class SessionEntity {
  @PrimaryColumn({ name: 'id_hash', type: 'bytea' })
  idHash: Buffer;

  @Column({ name: 'user_id', type: 'bigint', transformer: bigintAsNumber })
  userId: number;

  /** The login that this session belongs to. It stays the same when the session id is rotated. */
  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The family that this login continues since the last change of the password or e-mail. */
  @Column({ name: 'previous_family_id', type: 'uuid', nullable: true })
  previousFamilyId: string | null;

  @Column({ name: 'refreshed_at', type: 'timestamptz' })
  refreshedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
