import type { MigrationInterface, QueryRunner } from 'typeorm';

/** No reader goes through the log by transaction; the index only made every append slower. */
export class NoTransactionIndex1763640510000 implements MigrationInterface {
  readonly name = 'NoTransactionIndex1763640510000';
  /** Concurrently, so that no append waits: that runs outside of transactions only. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS events_transaction_idx');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE INDEX CONCURRENTLY IF NOT EXISTS events_transaction_idx ON events (transaction_id, global_position)',
    );
  }
}
