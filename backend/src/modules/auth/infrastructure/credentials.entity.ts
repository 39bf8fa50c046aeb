import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

@Entity({ name: 'credentials' })
export class CredentialsEntity {
  @PrimaryColumn({ name: 'user_id', type: 'bigint', transformer: bigintAsNumber })
  userId: number;

  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  /** Incremented by each password change, which makes known devices unknown and logins in progress fail. */
  @Column({ type: 'int' })
  version: number;
}
