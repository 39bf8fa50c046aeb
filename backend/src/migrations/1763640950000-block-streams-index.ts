import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

/**
 * For data exports, which also contain the blocks that were lifted; no read model has those. With the collation "C",
 * the ids with a common prefix are a range of the index, whatever the collation of the database.
 */
export class BlockStreamsIndex1763640950000 implements MigrationInterface {
  readonly name = 'BlockStreamsIndex1763640950000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      queryRunner,
      'event_streams_blocks_idx',
      `event_streams (stream_id COLLATE "C") WHERE stream_type = 'block'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX CONCURRENTLY event_streams_blocks_idx');
  }
}
