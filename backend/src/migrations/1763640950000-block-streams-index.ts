import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

/**
 * Data exports also contain the blocks that the user has lifted. No read model has those, so the export reads the event
 * streams of the user's blocks, whose ids begin with `block-<user id>-`. With the collation "C", the ids with a common
 * prefix are a range of the index, whatever the collation of the database.
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
