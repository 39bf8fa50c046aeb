import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a table with the time at which the personal data of a stream expires. The end of a chat then adds one row to it,
 * and no longer updates the row of each message in `event_private`. Times that are already stored there stay valid.
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
    // Earlier releases read the time only from the rows of `event_private`. A row without a time never expires.
    await queryRunner.query(`
      UPDATE event_private p SET expires_at = LEAST(p.expires_at, x.expires_at)
      FROM private_data_expiries x WHERE p.stream_id = x.stream_id AND p.expires_at > x.expires_at;
      DROP TABLE private_data_expiries;
    `);
  }
}
