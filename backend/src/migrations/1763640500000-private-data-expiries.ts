import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When what a stream holds apart from the log expires, in one row a stream: ending a chat no longer touches the rows of
 * its messages. Rows that earlier releases gave their time one by one keep it, and expire by it.
 */
export class PrivateDataExpiries1763640500000 implements MigrationInterface {
  readonly name = 'PrivateDataExpiries1763640500000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE private_data_expiries (
        stream_id text PRIMARY KEY,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX private_data_expiries_expires_idx ON private_data_expiries (expires_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Back to a time in every row, as earlier releases expect it.
    await queryRunner.query(`
      UPDATE event_private p SET expires_at = LEAST(p.expires_at, x.expires_at)
      FROM private_data_expiries x WHERE p.stream_id = x.stream_id AND p.expires_at > x.expires_at;
      DROP TABLE private_data_expiries;
    `);
  }
}
