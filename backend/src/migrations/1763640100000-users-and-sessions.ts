import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UsersAndSessions1763640100000 implements MigrationInterface {
  readonly name = 'UsersAndSessions1763640100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The maximum is Number.MAX_SAFE_INTEGER.
      CREATE SEQUENCE user_ids AS bigint MAXVALUE 9007199254740991;

      -- Read model of the streams user-<id>.
      CREATE TABLE users (
        id bigint PRIMARY KEY,
        username text NOT NULL,
        avatar text,
        email text,
        gender text CHECK (gender IN ('male', 'female')),
        is_anonymous boolean NOT NULL,
        created_at timestamptz NOT NULL
      );
      CREATE UNIQUE INDEX users_email_key ON users (lower(email));

      -- No foreign keys to users: a rebuild of the read models replaces that table.
      CREATE TABLE credentials (
        user_id bigint PRIMARY KEY,
        password_hash text NOT NULL,
        -- Incremented by each change of the password, so that a login in progress with the old one fails.
        version int NOT NULL DEFAULT 1
      );

      CREATE TABLE sessions (
        id_hash bytea PRIMARY KEY,
        user_id bigint NOT NULL,
        -- Identifies a login: it stays when a new session id replaces the old one.
        family_id uuid NOT NULL,
        refreshed_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX sessions_user_idx ON sessions (user_id);
      CREATE INDEX sessions_family_idx ON sessions (family_id);
      CREATE INDEX sessions_expires_idx ON sessions (expires_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE sessions;
      DROP TABLE credentials;
      DROP TABLE users;
      DROP SEQUENCE user_ids;
    `);
  }
}
