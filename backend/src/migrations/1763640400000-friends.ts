import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Friends1763640400000 implements MigrationInterface {
  readonly name = 'Friends1763640400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The maximum is Number.MAX_SAFE_INTEGER.
      CREATE SEQUENCE friend_request_ids AS bigint MAXVALUE 9007199254740991;

      -- Read models of the streams friendship-<lower id>-<higher id>.
      CREATE TABLE friend_requests (
        id bigint PRIMARY KEY,
        requester_id bigint NOT NULL,
        addressee_id bigint NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'accepted', 'declined')),
        -- Whether the addressee must never see the request, because it was sent soon after they declined another one.
        is_hidden boolean NOT NULL,
        created_at timestamptz NOT NULL
      );
      CREATE UNIQUE INDEX friend_requests_pending_key
        ON friend_requests (LEAST(requester_id, addressee_id), GREATEST(requester_id, addressee_id))
        WHERE status = 'pending';
      CREATE INDEX friend_requests_addressee_idx ON friend_requests (addressee_id, requester_id)
        WHERE status = 'pending';

      CREATE TABLE friendships (
        low_id bigint NOT NULL,
        high_id bigint NOT NULL CHECK (high_id > low_id),
        created_at timestamptz NOT NULL,
        PRIMARY KEY (low_id, high_id)
      );
      CREATE INDEX friendships_high_idx ON friendships (high_id, low_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE friendships;
      DROP TABLE friend_requests;
      DROP SEQUENCE friend_request_ids;
    `);
  }
}
