import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

export class Erasures1763640910000 implements MigrationInterface {
  readonly name = 'Erasures1763640910000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Erasures of users, with their receipts. Not derived from the event log.
      CREATE TABLE IF NOT EXISTS erasures (
        -- Also the id of the receipt: 128 random bits, in base64url.
        id text PRIMARY KEY,
        user_id bigint NOT NULL,
        -- The reason "asked" means: by the user.
        reason text NOT NULL CHECK (reason IN ('asked', 'inactive', 'operator')),
        requested_at timestamptz NOT NULL,
        -- The last step that is complete.
        step smallint NOT NULL DEFAULT 0,
        -- When the job last worked on this erasure.
        attempted_at timestamptz,
        -- How much was erased, by kind of data.
        counts jsonb NOT NULL DEFAULT '{}',
        finished_at timestamptz,
        -- The signed receipt.
        receipt text,
        -- Whether the receipt lists data that a legal hold keeps. When the hold is lifted, a second receipt follows.
        is_held boolean NOT NULL DEFAULT false,
        -- When Redis' append-only file was rewritten without the user's data.
        rewritten_at timestamptz
      );
      CREATE UNIQUE INDEX IF NOT EXISTS erasures_user_key ON erasures (user_id);
      CREATE INDEX IF NOT EXISTS erasures_running_idx ON erasures (attempted_at NULLS FIRST) WHERE finished_at IS NULL;
      CREATE INDEX IF NOT EXISTS erasures_held_idx ON erasures (user_id) WHERE is_held;
      CREATE INDEX IF NOT EXISTS erasures_rewritten_idx ON erasures (rewritten_at);
    `);
    // For the expiry of anonymous users who have become inactive.
    await createIndexConcurrently(
      queryRunner,
      'users_anonymous_idx',
      'users (created_at) WHERE is_anonymous',
    );
    // For the erasure of a user's private messages.
    await createIndexConcurrently(queryRunner, 'private_messages_sender_idx', 'private_messages (sender_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX private_messages_sender_idx, users_anonymous_idx;
      DROP TABLE erasures;
    `);
  }
}
