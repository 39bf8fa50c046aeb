import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores when the personal data of a stream expires in one row per stream, so that the end of a chat no longer updates
 * the row of each of its messages. A row of `event_private` in which an earlier release stored a time keeps this time.
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
    // Earlier releases read the time from each row of personal data. A row without a time never expires.
    await queryRunner.query(`
      UPDATE event_private p SET expires_at = LEAST(p.expires_at, x.expires_at)
      FROM private_data_expiries x WHERE p.stream_id = x.stream_id AND p.expires_at > x.expires_at;
      DROP TABLE private_data_expiries;
    `);
  }
}
