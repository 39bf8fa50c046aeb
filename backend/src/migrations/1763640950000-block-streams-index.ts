import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

/**
 * For exports, which contain also the blocks that were lifted; no read model has those. The collation makes ids with a
 * common prefix a range, whatever that of the database.
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
