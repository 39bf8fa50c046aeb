import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

/** Adds what the text of a notice to a user depends on: its cause, the decision and the appealed notice. */
export class NoticeTexts1763640901000 implements MigrationInterface {
  readonly name = 'NoticeTexts1763640901000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The event with the facts of the last decision.
      ALTER TABLE conduct_cases ADD COLUMN IF NOT EXISTS decision_event_id uuid;
      ALTER TABLE notices
        -- Why an automatic rule applied: reports, many_accounts, sanction_lapsed, age or inherited.
        ADD COLUMN IF NOT EXISTS cause text,
        -- Whether the moderator who decided the case also reviewed it (confirmed the ban, or decided the appeal),
        -- because there is no other moderator.
        ADD COLUMN IF NOT EXISTS is_solo boolean NOT NULL DEFAULT false,
        -- For the answer to an appeal: the notice that was appealed.
        ADD COLUMN IF NOT EXISTS appealed_notice_id bigint;
    `);
    // For the job that announces again the standings (restrictions in force) of users with recent notices.
    await createIndexConcurrently(queryRunner, 'notices_created_idx', 'notices (created_at)');
    // For a change of a sanction, which also changes its notice.
    await createIndexConcurrently(
      queryRunner,
      'notices_sanction_idx',
      'notices (sanction_id) WHERE sanction_id IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX notices_sanction_idx, notices_created_idx;
      ALTER TABLE notices DROP COLUMN appealed_notice_id, DROP COLUMN is_solo, DROP COLUMN cause;
      ALTER TABLE conduct_cases DROP COLUMN decision_event_id;
    `);
  }
}
