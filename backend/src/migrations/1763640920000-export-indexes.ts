import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

/** For data exports, which look up every friend request and appeal of a user, not only the pending ones. */
export class ExportIndexes1763640920000 implements MigrationInterface {
  readonly name = 'ExportIndexes1763640920000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    const create = (name: string, target: string) => createIndexConcurrently(queryRunner, name, target);
    await create('friend_requests_from_idx', 'friend_requests (requester_id, addressee_id)');
    await create('friend_requests_to_idx', 'friend_requests (addressee_id, requester_id)');
    // `user_id` is the user of the case; the appellant is that user, or a reporter whose report was dismissed.
    await create('appeals_appellant_idx', 'appeals (appellant_id, user_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['appeals_appellant_idx', 'friend_requests_to_idx', 'friend_requests_from_idx'])
      await queryRunner.query(`DROP INDEX CONCURRENTLY ${name}`);
  }
}
