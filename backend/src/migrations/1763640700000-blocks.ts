import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Blocks1763640700000 implements MigrationInterface {
  readonly name = 'Blocks1763640700000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Read model of the streams block-<blocker id>-<blocked id>.
      CREATE TABLE blocks (
        blocker_id bigint NOT NULL,
        blocked_id bigint NOT NULL CHECK (blocked_id <> blocker_id),
        created_at timestamptz NOT NULL,
        PRIMARY KEY (blocker_id, blocked_id)
      );
      CREATE INDEX blocks_blocker_idx ON blocks (blocker_id, created_at);
      CREATE INDEX blocks_blocked_idx ON blocks (blocked_id, created_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE blocks');
  }
}
