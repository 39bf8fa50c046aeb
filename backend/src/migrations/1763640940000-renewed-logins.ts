import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

/**
 * A family is the session ids that replace one another in one login. A change of the password or e-mail address starts
 * a new family. The sockets of the previous family are closed with a code that makes the page reconnect.
 */
export class RenewedLogins1763640940000 implements MigrationInterface {
  readonly name = 'RenewedLogins1763640940000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The family before the last change of the password or e-mail address in this login. NULL without such a change.
      ALTER TABLE sessions ADD COLUMN IF NOT EXISTS previous_family_id uuid;
    `);
    await createIndexConcurrently(
      queryRunner,
      'sessions_previous_family_idx',
      'sessions (previous_family_id) WHERE previous_family_id IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN previous_family_id');
  }
}
