import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../../../platform/database/bigint-column.mapper';

@Entity({ name: 'credentials' })
export class CredentialsEntity {
  @PrimaryColumn({ name: 'user_id', type: 'bigint', transformer: bigintAsNumber })
  userId: number;

  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  /** Counts the changes of the password. */
  @Column({ type: 'int' })
  version: number;
}
