import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

/** A login's present session. Who reads the table cannot sign in with what he finds: ids are kept as their SHA-256. */
@Entity({ name: 'sessions' })
export class SessionEntity {
  @PrimaryColumn({ name: 'id_hash', type: 'bytea' })
  idHash: Buffer;

  @Column({ name: 'user_id', type: 'bigint', transformer: bigintAsNumber })
  userId: number;

  /** The login it belongs to; a rotation makes a new session of the same family. */
  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'refreshed_at', type: 'timestamptz' })
  refreshedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
