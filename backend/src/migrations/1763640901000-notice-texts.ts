import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NoticeTexts1763640901000 implements MigrationInterface {
  readonly name = 'NoticeTexts1763640901000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The event with the facts of the last decision.
      ALTER TABLE conduct_cases ADD COLUMN decision_event_id uuid;
      ALTER TABLE notices
        -- Why an automatic rule applied: reports, many_accounts, sanction_lapsed, age or inherited.
        ADD COLUMN cause text,
        -- Whether the only moderator took the second look as well.
        ADD COLUMN is_solo boolean NOT NULL DEFAULT false,
        -- Of an answer to an appeal: the notice that was appealed.
        ADD COLUMN appealed_notice_id bigint;
      -- For the job that announces recent changes of standings again.
      CREATE INDEX notices_created_idx ON notices (created_at);
      CREATE INDEX notices_sanction_idx ON notices (sanction_id) WHERE sanction_id IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX notices_sanction_idx, notices_created_idx;
      ALTER TABLE notices DROP COLUMN appealed_notice_id, DROP COLUMN is_solo, DROP COLUMN cause;
      ALTER TABLE conduct_cases DROP COLUMN decision_event_id;
    `);
  }
}
