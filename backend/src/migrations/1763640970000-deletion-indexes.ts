import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

/** For the erasure of a user and the end of a sanction, which would read whole tables without these indexes. */
export class DeletionIndexes1763640970000 implements MigrationInterface {
  readonly name = 'DeletionIndexes1763640970000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndexConcurrently(queryRunner, 'private_reads_friend_idx', 'private_reads (friend_id)');
    await createIndexConcurrently(queryRunner, 'ban_keys_sanction_idx', 'ban_keys (sanction_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX CONCURRENTLY ban_keys_sanction_idx');
    await queryRunner.query('DROP INDEX CONCURRENTLY private_reads_friend_idx');
  }
}
