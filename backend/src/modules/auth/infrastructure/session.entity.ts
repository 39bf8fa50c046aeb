import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** The current session of a login. Only the SHA-256 of a session id is stored, so a leaked table has no valid ids. */
@Entity({ name: 'sessions' })
export class SessionEntity {
  @PrimaryColumn({ name: 'id_hash', type: 'bytea' })
  idHash: Buffer;

  @Column({ name: 'user_id', type: 'bigint', transformer: bigintAsNumber })
  userId: number;

  /**
   * Identifies the family: the session ids that replace one another in one login. It stays the same when the session id
   * is rotated. A change of the password or e-mail address in this login starts a new family.
   */
  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /**
   * The family before the last change of the password or e-mail address in this login; null without such a change. The
   * sockets of this family are closed with a code that makes the page reconnect.
   */
  @Column({ name: 'previous_family_id', type: 'uuid', nullable: true })
  previousFamilyId: string | null;

  /** When the session was created, or when its id was rotated or its expiry extended. */
  @Column({ name: 'refreshed_at', type: 'timestamptz' })
  refreshedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
