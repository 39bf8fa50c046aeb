import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Uploads1763640300000 implements MigrationInterface {
  readonly name = 'Uploads1763640300000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE uploads (
        key text PRIMARY KEY,
        bucket text NOT NULL,
        owner_id bigint NOT NULL,
        content_type text NOT NULL,
        size int NOT NULL,
        width int NOT NULL,
        height int NOT NULL,
        created_at timestamptz NOT NULL,
        -- NULL until the file is in the storage.
        stored_at timestamptz,
        -- Since when no message and no profile shows the image. NULL while one shows it.
        unused_since timestamptz,
        -- When the image was removed. It is no longer served; the file is deleted first, then this row.
        removed_at timestamptz
      );
      CREATE INDEX uploads_owner_idx ON uploads (owner_id, bucket);
      CREATE INDEX uploads_unused_idx ON uploads (unused_since) WHERE unused_since IS NOT NULL AND removed_at IS NULL;
      CREATE INDEX uploads_unfinished_idx ON uploads (created_at) WHERE stored_at IS NULL AND removed_at IS NULL;
      CREATE INDEX uploads_removed_idx ON uploads (key) WHERE removed_at IS NOT NULL;

      -- The users who may view a chat image, because it was sent to them.
      CREATE TABLE upload_views (
        key text NOT NULL REFERENCES uploads ON DELETE CASCADE,
        viewer_id bigint NOT NULL,
        PRIMARY KEY (key, viewer_id)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE upload_views;
      DROP TABLE uploads;
    `);
  }
}
