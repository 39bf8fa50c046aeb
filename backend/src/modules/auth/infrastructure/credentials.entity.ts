import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

@Entity({ name: 'credentials' })
export class CredentialsEntity {
  @PrimaryColumn({ name: 'user_id', type: 'bigint', transformer: bigintAsNumber })
  userId: number;

  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  /**
   * Incremented by each password change: logins in progress then fail, and cookies of known devices (browsers in which
   * the user has signed in) become invalid.
   */
  @Column({ type: 'int' })
  version: number;
}
