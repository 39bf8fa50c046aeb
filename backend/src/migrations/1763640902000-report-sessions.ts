import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

export class ReportSessions1763640902000 implements MigrationInterface {
  readonly name = 'ReportSessions1763640902000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Finds the reports about a chat that ends: the end determines how long the evidence of a dismissed report is kept.
    await createIndexConcurrently(
      queryRunner,
      'reports_session_idx',
      'reports (session_id) WHERE session_id IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX reports_session_idx');
  }
}
