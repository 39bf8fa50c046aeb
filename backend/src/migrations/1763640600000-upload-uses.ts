import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UploadUses1763640600000 implements MigrationInterface {
  readonly name = 'UploadUses1763640600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The messages that show an image. The image is removed with the last of them.
      CREATE TABLE upload_uses (
        key text NOT NULL,
        stream_id text NOT NULL,
        event_id uuid NOT NULL,
        -- The receiver of a private message. NULL in a random chat, whose messages do not name a receiver.
        viewer_id bigint,
        PRIMARY KEY (key, stream_id, event_id)
      );
    `);
    // Adds the messages of earlier releases. A mixed message whose text only quotes the address of an image of its
    // sender counts as a use, too: the image is then kept longer than necessary, but never removed too early.
    await queryRunner.query(`
      INSERT INTO upload_uses (key, stream_id, event_id, viewer_id)
      SELECT uploads.key, e.stream_id, e.event_id, (e.data->>'receiverId')::bigint
      FROM events e
      JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
      CROSS JOIN LATERAL regexp_matches(p.data->>'content', '/api/files/chat-images/([a-z0-9./-]+)', 'g') AS shown(groups)
      JOIN uploads ON uploads.key = shown.groups[1] AND uploads.owner_id = (e.data->>'senderId')::bigint
      WHERE e.type IN ('MessageSent', 'PrivateMessageSent') AND e.data->>'messageType' IN ('image', 'mixed')
      ON CONFLICT DO NOTHING
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE upload_uses');
  }
}
