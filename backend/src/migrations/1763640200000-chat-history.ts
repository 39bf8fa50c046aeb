import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ChatHistory1763640200000 implements MigrationInterface {
  readonly name = 'ChatHistory1763640200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Read model of the streams chat-<session id>: random chats, not their messages.
      CREATE TABLE chat_history (
        id bigint PRIMARY KEY,
        stream_id text NOT NULL UNIQUE,
        user1_id bigint NOT NULL,
        user2_id bigint NOT NULL,
        created_at timestamptz NOT NULL
      );
      CREATE INDEX chat_history_user1_idx ON chat_history (user1_id, id DESC);
      CREATE INDEX chat_history_user2_idx ON chat_history (user2_id, id DESC);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE chat_history');
  }
}
