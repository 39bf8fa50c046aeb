import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

export class ModerationIndexes1763640905000 implements MigrationInterface {
  readonly name = 'ModerationIndexes1763640905000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    const create = (name: string, definition: string) =>
      createIndexConcurrently(queryRunner, name, definition);
    // For open appeals and unconfirmed bans, which bring a decided case back to the queue of moderators.
    await create('appeals_open_idx', 'appeals (case_id) WHERE decided_at IS NULL');
    await create(
      'sanctions_unconfirmed_idx',
      `sanctions (case_id) WHERE kind = 'banned' AND confirmed_at IS NULL AND lifted_at IS NULL`,
    );
    // For the list of moderators.
    await create('users_moderators_idx', 'users (id) WHERE is_moderator');

    // For the figures of the moderation page, which cover the last 30 days. BRIN indexes suffice, because rows are
    // inserted in the order of these times.
    await create('reports_created_idx', 'reports USING brin (created_at)');
    await create('blocks_created_idx', 'blocks USING brin (created_at)');
    await create('chat_history_created_idx', 'chat_history USING brin (created_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX chat_history_created_idx, blocks_created_idx, reports_created_idx, users_moderators_idx,
        sanctions_unconfirmed_idx, appeals_open_idx;
    `);
  }
}
