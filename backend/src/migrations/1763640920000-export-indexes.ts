import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For exports, which look up every request and appeal of a user, not only the pending ones. */
export class ExportIndexes1763640920000 implements MigrationInterface {
  readonly name = 'ExportIndexes1763640920000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX friend_requests_from_idx ON friend_requests (requester_id, addressee_id);
      CREATE INDEX friend_requests_to_idx ON friend_requests (addressee_id, requester_id);
      CREATE INDEX appeals_appellant_idx ON appeals (appellant_id, user_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP INDEX appeals_appellant_idx, friend_requests_to_idx, friend_requests_from_idx',
    );
  }
}
