import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

export class FindingsIndex1763640911000 implements MigrationInterface {
  readonly name = 'FindingsIndex1763640911000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // The chats that ended for safety, which are few, for the job that raises missing findings.
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
