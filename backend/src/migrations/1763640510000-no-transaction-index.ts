import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops an index that makes every append slower and that no query uses. */
export class NoTransactionIndex1763640510000 implements MigrationInterface {
  readonly name = 'NoTransactionIndex1763640510000';
  /** PostgreSQL refuses DROP INDEX CONCURRENTLY, which blocks no append, inside a transaction. */
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
