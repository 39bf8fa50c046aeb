import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

export class FindingsIndex1763640911000 implements MigrationInterface {
  readonly name = 'FindingsIndex1763640911000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // For the job `watch_findings`. It looks for the few chats that ended because a user stated an age under 18, and
    // opens the moderation cases that a replica could not open.
    await createIndexConcurrently(
      queryRunner,
      'events_findings_idx',
      `events (recorded_at) WHERE type = 'ChatEnded' AND data ? 'finding'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX events_findings_idx');
  }
}
