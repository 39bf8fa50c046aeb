import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ModerationIndexes1763640905000 implements MigrationInterface {
  readonly name = 'ModerationIndexes1763640905000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- What brings a decided case back to the queue.
      CREATE INDEX appeals_open_idx ON appeals (case_id) WHERE decided_at IS NULL;
      CREATE INDEX sanctions_unconfirmed_idx ON sanctions (case_id)
        WHERE kind = 'banned' AND confirmed_at IS NULL AND lifted_at IS NULL;
      CREATE INDEX users_moderators_idx ON users (id) WHERE is_moderator;

      -- For the figures of the last 30 days. Rows are inserted in the order of these times, and BRIN costs nothing then.
      CREATE INDEX reports_created_idx ON reports USING brin (created_at);
      CREATE INDEX blocks_created_idx ON blocks USING brin (created_at);
      CREATE INDEX chat_history_created_idx ON chat_history USING brin (created_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX chat_history_created_idx, blocks_created_idx, reports_created_idx, users_moderators_idx,
        sanctions_unconfirmed_idx, appeals_open_idx;
    `);
  }
}
