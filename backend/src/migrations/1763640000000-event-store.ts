import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EventStore1763640000000 implements MigrationInterface {
  readonly name = 'EventStore1763640000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE event_streams (
        stream_id text PRIMARY KEY,
        stream_type text NOT NULL,
        -- The number of events in the stream, and so the stream_position of the last one.
        version bigint NOT NULL CHECK (version > 0)
      );

      CREATE TABLE events (
        global_position bigint GENERATED ALWAYS AS IDENTITY,
        -- Exports select the events whose transaction is visible in their snapshot.
        transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
        stream_id text NOT NULL,
        stream_position bigint NOT NULL,
        event_id uuid NOT NULL,
        type text NOT NULL,
        schema_version int NOT NULL,
        data jsonb NOT NULL,
        metadata jsonb NOT NULL,
        occurred_at timestamptz NOT NULL,
        recorded_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT events_pkey PRIMARY KEY (stream_id, stream_position),
        -- An event whose id is already in its stream is not appended again.
        CONSTRAINT events_stream_event_key UNIQUE (stream_id, event_id)
      );
      -- Dropped by a later migration, because no query uses it.
      CREATE INDEX events_transaction_idx ON events (transaction_id, global_position);
      CREATE INDEX events_global_position_idx ON events (global_position);

      -- The personal fields of events. They are stored separately from the log, so that they can be erased.
      CREATE TABLE event_private (
        event_id uuid NOT NULL,
        stream_id text NOT NULL,
        -- The user whose data it is.
        subject_id bigint,
        data jsonb NOT NULL,
        -- A job erases the data after this time; null if the data does not expire.
        expires_at timestamptz,
        PRIMARY KEY (stream_id, event_id)
      );
      CREATE INDEX event_private_subject_idx ON event_private (subject_id);
      CREATE INDEX event_private_expires_idx ON event_private (expires_at) WHERE expires_at IS NOT NULL;

      CREATE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the event log is append-only' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE ON events
        FOR EACH ROW EXECUTE FUNCTION refuse_to_change_events();
      CREATE TRIGGER events_are_not_truncated BEFORE TRUNCATE ON events
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_events();
    `);
  }

  async down(): Promise<void> {
    throw new Error('The event log is not dropped by a migration');
  }
}
