import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * ANALYZE copies sampled values into `pg_statistic`, where they stay after an erasure. No query needs samples of the
 * columns with personal data: the values are looked up by unique indexes. `users_email_key` has samples of its own,
 * since it is an index on the expression `lower(email)`.
 */
export class UnsampledColumns1763640930000 implements MigrationInterface {
  readonly name = 'UnsampledColumns1763640930000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- A change of the type, even to the same type, removes the samples. It does not rewrite the table.
      ALTER TABLE users ALTER username TYPE text, ALTER avatar TYPE text, ALTER email TYPE text;
      ALTER TABLE credentials ALTER password_hash TYPE text;
      ALTER TABLE event_private ALTER data TYPE jsonb;
      ALTER TABLE private_messages ALTER client_id TYPE text, ALTER content TYPE text;

      ALTER TABLE users
        ALTER username SET STATISTICS 0, ALTER avatar SET STATISTICS 0, ALTER email SET STATISTICS 0;
      ALTER INDEX users_email_key ALTER COLUMN 1 SET STATISTICS 0;
      ALTER TABLE credentials ALTER password_hash SET STATISTICS 0;
      ALTER TABLE event_private ALTER data SET STATISTICS 0;
      ALTER TABLE private_messages ALTER client_id SET STATISTICS 0, ALTER content SET STATISTICS 0;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE private_messages ALTER client_id SET STATISTICS -1, ALTER content SET STATISTICS -1;
      ALTER TABLE event_private ALTER data SET STATISTICS -1;
      ALTER TABLE credentials ALTER password_hash SET STATISTICS -1;
      ALTER INDEX users_email_key ALTER COLUMN 1 SET STATISTICS -1;
      ALTER TABLE users
        ALTER username SET STATISTICS -1, ALTER avatar SET STATISTICS -1, ALTER email SET STATISTICS -1;
    `);
  }
}
