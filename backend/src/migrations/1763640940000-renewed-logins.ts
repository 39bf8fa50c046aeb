import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RenewedLogins1763640940000 implements MigrationInterface {
  readonly name = 'RenewedLogins1763640940000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The family that this login continues: set by a change of the password or e-mail.
      ALTER TABLE sessions ADD COLUMN previous_family_id uuid;
      CREATE INDEX sessions_previous_family_idx ON sessions (previous_family_id)
        WHERE previous_family_id IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN previous_family_id');
  }
}
