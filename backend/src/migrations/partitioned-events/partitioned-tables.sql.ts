/** The partition of a row is the hash of its stream modulo this number. A change would need another conversion. */
const PARTITION_COUNT = 16;

/** The names of the partitioned copies until they take the places of `events` and `event_private`. */
export const COPY_OF_EVENTS = 'partitioned_events';
export const COPY_OF_PRIVATE = 'partitioned_event_private';

const listPartitionNames = (table: string): string[] =>
  Array.from({ length: PARTITION_COUNT }, (_, index) => `${table}_p${String(index).padStart(2, '0')}`);

/** Names the partitions of a copy after the original table, because only the copy itself is renamed in the end. */
const buildPartitionsSql = (copy: string, table: string): string =>
  listPartitionNames(table)
    .map(
      (name, index) => `
      CREATE TABLE ${name} PARTITION OF ${copy} FOR VALUES WITH (MODULUS ${PARTITION_COUNT}, REMAINDER ${index});`,
    )
    .join('');

/** Refuses TRUNCATE on the copy and on each partition: partitions inherit row triggers, but no statement triggers. */
const createTruncateTriggersSql = [COPY_OF_EVENTS, ...listPartitionNames('events')]
  .map(
    (name) => `
  CREATE TRIGGER events_are_not_truncated BEFORE TRUNCATE ON ${name}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_events();`,
  )
  .join('');

/** Creates the empty partitioned tables, and the table that records how far they are filled. */
export const createPartitionedTablesSql = `
  CREATE SEQUENCE event_positions AS bigint;

  CREATE TABLE ${COPY_OF_EVENTS} (
    global_position bigint NOT NULL DEFAULT nextval('event_positions'),
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    stream_id text NOT NULL,
    stream_position bigint NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    schema_version int NOT NULL,
    data jsonb NOT NULL,
    metadata jsonb NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
  ) PARTITION BY HASH (stream_id);
  ALTER SEQUENCE event_positions OWNED BY ${COPY_OF_EVENTS}.global_position;

  CREATE TABLE ${COPY_OF_PRIVATE} (
    event_id uuid NOT NULL,
    stream_id text NOT NULL,
    subject_id bigint,
    data jsonb NOT NULL,
    expires_at timestamptz
  ) PARTITION BY HASH (stream_id);

  ${buildPartitionsSql(COPY_OF_EVENTS, 'events')}
  ${buildPartitionsSql(COPY_OF_PRIVATE, 'event_private')}

  ALTER TABLE ${COPY_OF_EVENTS}
    ADD CONSTRAINT ${COPY_OF_EVENTS}_pkey PRIMARY KEY (stream_id, stream_position),
    ADD CONSTRAINT ${COPY_OF_EVENTS}_stream_event_key UNIQUE (stream_id, event_id);
  CREATE INDEX ${COPY_OF_EVENTS}_global_position_idx ON ${COPY_OF_EVENTS} (global_position);
  CREATE INDEX ${COPY_OF_EVENTS}_findings_idx ON ${COPY_OF_EVENTS} (recorded_at)
    WHERE type = 'ChatEnded' AND data ? 'finding';

  ALTER TABLE ${COPY_OF_PRIVATE} ADD CONSTRAINT ${COPY_OF_PRIVATE}_pkey PRIMARY KEY (stream_id, event_id);
  CREATE INDEX ${COPY_OF_PRIVATE}_subject_idx ON ${COPY_OF_PRIVATE} (subject_id) WHERE subject_id IS NOT NULL;
  CREATE INDEX ${COPY_OF_PRIVATE}_expires_idx ON ${COPY_OF_PRIVATE} (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE ON ${COPY_OF_EVENTS}
    FOR EACH ROW EXECUTE FUNCTION refuse_to_change_events();
  ${createTruncateTriggersSql}

  CREATE TABLE event_partitioning (
    -- The last position to copy; the triggers copy later events.
    events_until bigint NOT NULL,
    -- The last copied position.
    events_after bigint NOT NULL DEFAULT 0,
    -- The last copied key of personal data: a stream and an event.
    private_after_stream text NOT NULL DEFAULT '',
    private_after_event uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
  );
`;

/**
 * Creates triggers that repeat every write of the service in the copies. Their functions run with the privileges of
 * their owner (SECURITY DEFINER), because the role of the service has none on the copies. `NEW.*` fits into a copy,
 * because its columns have the same order.
 */
export const createMirrorsSql = `
  CREATE FUNCTION mirror_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  BEGIN
    INSERT INTO ${COPY_OF_EVENTS} VALUES (NEW.*);
    RETURN NULL;
  END $$;
  CREATE TRIGGER mirror_events AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION mirror_events();

  CREATE FUNCTION mirror_event_private() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO ${COPY_OF_PRIVATE} VALUES (NEW.*);
    ELSIF TG_OP = 'DELETE' THEN
      DELETE FROM ${COPY_OF_PRIVATE} WHERE stream_id = OLD.stream_id AND event_id = OLD.event_id;
    ELSE
      -- Has no effect on a row that is not copied yet; it will be copied with its new values.
      UPDATE ${COPY_OF_PRIVATE}
      SET stream_id = NEW.stream_id, event_id = NEW.event_id, subject_id = NEW.subject_id, data = NEW.data,
        expires_at = NEW.expires_at
      WHERE stream_id = OLD.stream_id AND event_id = OLD.event_id;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER mirror_event_private AFTER INSERT OR UPDATE OR DELETE ON event_private
    FOR EACH ROW EXECUTE FUNCTION mirror_event_private();

  -- CREATE TRIGGER has waited for earlier writes and locks out new ones, so all events up to here are committed.
  INSERT INTO event_partitioning (events_until) SELECT coalesce(max(global_position), 0) FROM events;
`;

/**
 * Finds the position of the last event of the next batch. $1: the last copied position; $2: the last position to copy;
 * $3: the number of rows in a batch.
 */
export const findEndOfEventBatchSql = `
  SELECT max(global_position) AS "position" FROM (
    SELECT global_position FROM events WHERE global_position > $1 AND global_position <= $2
    ORDER BY global_position LIMIT $3
  ) next`;

/** Copies the events after the position $1, up to the position $2, unless the trigger has copied them already. */
export const copyEventsSql = `
  INSERT INTO ${COPY_OF_EVENTS} SELECT * FROM events WHERE global_position > $1 AND global_position <= $2
  ON CONFLICT DO NOTHING`;

/**
 * Finds the key of the last row of personal data of the next batch. $1 and $2: the last copied key; $3: the number of
 * rows in a batch.
 */
export const findEndOfPrivateBatchSql = `
  SELECT stream_id AS "streamId", event_id AS "eventId" FROM (
    SELECT stream_id, event_id FROM event_private WHERE (stream_id, event_id) > ($1::text, $2::uuid)
    ORDER BY stream_id, event_id LIMIT $3
  ) next ORDER BY stream_id DESC, event_id DESC LIMIT 1`;

/**
 * Copies personal data after the key ($1, $2), up to the key ($3, $4), unless the trigger has copied it already. FOR
 * SHARE waits for changes and deletions in progress, and delays new ones until the batch is committed. The trigger then
 * repeats them in the copy.
 */
export const copyPrivateSql = `
  WITH locked AS (
    SELECT * FROM event_private
    WHERE (stream_id, event_id) > ($1::text, $2::uuid) AND (stream_id, event_id) <= ($3::text, $4::uuid)
    ORDER BY stream_id, event_id
    FOR SHARE
  )
  INSERT INTO ${COPY_OF_PRIVATE} SELECT * FROM locked ON CONFLICT DO NOTHING`;

const buildSummarySql = (table: string): string =>
  `(SELECT count(*) || ' rows, hash ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM ${table} t)`;

/** Summarizes the whole content of the tables and of their copies, in one snapshot. */
export const summariesSql = `
  SELECT ${buildSummarySql('events')} AS events, ${buildSummarySql(COPY_OF_EVENTS)} AS events_copy,
    ${buildSummarySql('event_private')} AS private, ${buildSummarySql(COPY_OF_PRIVATE)} AS private_copy`;

/** Removes the copies, so that the next run starts from the beginning. */
export const discardCopiesSql = `
  DROP FUNCTION IF EXISTS mirror_events() CASCADE;
  DROP FUNCTION IF EXISTS mirror_event_private() CASCADE;
  DROP TABLE IF EXISTS ${COPY_OF_EVENTS}, ${COPY_OF_PRIVATE}, event_partitioning;
  DROP SEQUENCE IF EXISTS event_positions;`;
