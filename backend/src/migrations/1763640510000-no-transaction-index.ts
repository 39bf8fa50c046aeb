import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the index on the transaction ids of the events. It makes every append slower, and no query uses it. */
export class NoTransactionIndex1763640510000 implements MigrationInterface {
  readonly name = 'NoTransactionIndex1763640510000';
  /** DROP INDEX CONCURRENTLY blocks no append, but PostgreSQL refuses it inside a transaction. */
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
