import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PrivateChat1763640410000 implements MigrationInterface {
  readonly name = 'PrivateChat1763640410000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The maximum is Number.MAX_SAFE_INTEGER.
      CREATE SEQUENCE private_message_ids AS bigint MAXVALUE 9007199254740991;

      -- Read model of the streams private-<message id>.
      CREATE TABLE private_messages (
        id bigint PRIMARY KEY,
        sender_id bigint NOT NULL,
        receiver_id bigint NOT NULL,
        -- The id that the sender's client gave the message.
        client_id text,
        type text NOT NULL CHECK (type IN ('text', 'image', 'mixed')),
        content text NOT NULL,
        reply_to_id bigint,
        -- A list of {emoji, userId}, the oldest reaction first.
        reactions jsonb NOT NULL DEFAULT '[]',
        is_edited boolean NOT NULL DEFAULT false,
        is_deleted boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL
      );
      -- With this index, a retry finds the message that an earlier attempt has stored.
      CREATE UNIQUE INDEX private_messages_client_key ON private_messages (sender_id, client_id)
        WHERE client_id IS NOT NULL;
      CREATE INDEX private_messages_conversation_idx
        ON private_messages (LEAST(sender_id, receiver_id), GREATEST(sender_id, receiver_id), id);
      -- For the messages that their receiver has not read yet.
      CREATE INDEX private_messages_received_idx ON private_messages (receiver_id, sender_id, id)
        WHERE NOT is_deleted;

      -- How far a user has read the messages of a friend. Not derived from the event log.
      CREATE TABLE private_reads (
        user_id bigint NOT NULL,
        friend_id bigint NOT NULL,
        read_up_to bigint NOT NULL,
        PRIMARY KEY (user_id, friend_id)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE private_reads;
      DROP TABLE private_messages;
      DROP SEQUENCE private_message_ids;
    `);
  }
}
