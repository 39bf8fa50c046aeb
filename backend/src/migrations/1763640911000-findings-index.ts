import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FindingsIndex1763640911000 implements MigrationInterface {
  readonly name = 'FindingsIndex1763640911000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The chats that ended for safety, which are few, for the job that raises missing findings.
      CREATE INDEX events_findings_idx ON events (recorded_at) WHERE type = 'ChatEnded' AND data ? 'finding';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX events_findings_idx');
  }
}
