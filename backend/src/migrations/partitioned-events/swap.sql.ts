import { COPY_OF_EVENTS, COPY_OF_PRIVATE } from './partitioned-tables.sql';

const PAIRS = [
  ['events', COPY_OF_EVENTS],
  ['event_private', COPY_OF_PRIVATE],
] as const;

/** For each table and its copy, as `original` and `copy` of type regclass. */
const buildForEachPair = (declarations: string, statements: string): string =>
  PAIRS.map(
    ([table, copyName]) => `
  DO $$
  DECLARE
    original regclass := '${table}';
    copy regclass := '${copyName}';
    ${declarations}
  BEGIN ${statements}
  END $$;`,
  ).join('');

/** Gives the copies the storage parameters of the tables, and the statistics targets of their columns. */
export const adoptSettings = buildForEachPair(
  'one record;',
  `
    FOR one IN
      SELECT inhrelid::regclass AS partition, given.reloptions, toast.reloptions AS toast_options
      FROM pg_inherits JOIN pg_class given ON given.oid = original LEFT JOIN pg_class toast ON toast.oid = given.reltoastrelid
      WHERE inhparent = copy
    LOOP
      IF one.reloptions IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s SET (%s)', one.partition, array_to_string(one.reloptions, ', '));
      END IF;
      IF one.toast_options IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s SET (toast.%s)', one.partition, array_to_string(one.toast_options, ', toast.'));
      END IF;
    END LOOP;
    FOR one IN
      SELECT attname, attstattarget FROM pg_attribute
      WHERE attrelid = original AND attnum > 0 AND NOT attisdropped AND attstattarget >= 0
    LOOP
      -- Of the partitions, too.
      EXECUTE format('ALTER TABLE %s ALTER %I SET STATISTICS %s', copy, one.attname, one.attstattarget);
    END LOOP;`,
);

/** Gives the copies the owners of the tables, and the rights of other roles. Nothing may be granted on a partition. */
const adoptRights = buildForEachPair(
  'one record; new_owner text;',
  `
    FOR one IN
      SELECT privilege_type AS privilege,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role,
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
      FROM pg_class, aclexplode(relacl) WHERE oid = original AND grantee <> relowner
    LOOP
      EXECUTE format('GRANT %s ON %s TO %s%s', one.privilege, copy, one.role, one.option);
      -- Who inserts needs this right now; an identity column did without.
      IF one.privilege = 'INSERT' AND original = 'events'::regclass THEN
        EXECUTE format('GRANT USAGE ON SEQUENCE event_positions TO %s%s', one.role, one.option);
      END IF;
    END LOOP;
    SELECT quote_ident(pg_get_userbyid(given.relowner)) INTO new_owner
    FROM pg_class given, pg_class present
    WHERE given.oid = original AND present.oid = copy AND given.relowner <> present.relowner;
    IF new_owner IS NOT NULL THEN
      EXECUTE format('ALTER TABLE %s OWNER TO %s', copy, new_owner);
      FOR one IN SELECT inhrelid::regclass AS partition FROM pg_inherits WHERE inhparent = copy LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO %s', one.partition, new_owner);
      END LOOP;
    END IF;`,
);

/** From here on, no other session reads or writes the tables until the end of the transaction. */
export const lockTables = 'LOCK TABLE events, event_private IN ACCESS EXCLUSIVE MODE';

/**
 * How many transactions have a snapshot that may be older than the transaction $1, which followed the last batch. They
 * would not see in the copies what was copied after their snapshot.
 */
export const countOldSnapshots = `
  SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    AND backend_xmin IS NOT NULL AND age(backend_xmin) > age($1::xid)`;

/** Those of the events that are in the stream, by the plan for any stream: it uses one partition when it runs. */
export const createFindKnownEvents = `
  CREATE OR REPLACE FUNCTION find_known_events(stream text, ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan AS $$
  BEGIN
    RETURN ARRAY(SELECT event_id FROM events WHERE stream_id = stream AND event_id = ANY (ids));
  END $$;`;

/** Replaces the tables by their copies. Positions continue after the last one that was ever given. */
export const swapTables = `
  ${adoptRights}
  DO $$
  DECLARE
    highest bigint;
  BEGIN
    EXECUTE format('SELECT setval(''event_positions'', last_value, is_called) FROM %s',
      pg_get_serial_sequence('events', 'global_position'));
    SELECT max(global_position) INTO highest FROM ${COPY_OF_EVENTS};
    IF highest > (SELECT last_value FROM event_positions) THEN
      PERFORM setval('event_positions', highest);
    END IF;
  END $$;
  DROP TABLE events, event_private, event_partitioning;
  DROP FUNCTION mirror_events(), mirror_event_private();

  ALTER TABLE ${COPY_OF_EVENTS} RENAME TO events;
  ALTER TABLE events RENAME CONSTRAINT ${COPY_OF_EVENTS}_pkey TO events_pkey;
  ALTER TABLE events RENAME CONSTRAINT ${COPY_OF_EVENTS}_stream_event_key TO events_stream_event_key;
  ALTER INDEX ${COPY_OF_EVENTS}_global_position_idx RENAME TO events_global_position_idx;
  ALTER INDEX ${COPY_OF_EVENTS}_findings_idx RENAME TO events_findings_idx;

  ALTER TABLE ${COPY_OF_PRIVATE} RENAME TO event_private;
  ALTER TABLE event_private RENAME CONSTRAINT ${COPY_OF_PRIVATE}_pkey TO event_private_pkey;
  ALTER INDEX ${COPY_OF_PRIVATE}_subject_idx RENAME TO event_private_subject_idx;
  ALTER INDEX ${COPY_OF_PRIVATE}_expires_idx RENAME TO event_private_expires_idx;

  ${createFindKnownEvents}

  -- The release before deletes rows of a user by ctid, which is no longer unique: it would delete those of others. Its
  -- erasures fail instead, and workers of this release finish them.
  CREATE FUNCTION refuse_to_delete_by_ctid() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_query() LIKE '%DELETE FROM event_private WHERE ctid =%' THEN
      RAISE EXCEPTION 'a row of event_private is not identified by its ctid alone'
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER rows_are_not_deleted_by_ctid BEFORE DELETE ON event_private
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_delete_by_ctid();
`;
