import { COPY_OF_EVENTS, COPY_OF_PRIVATE } from './partitioned-tables.sql';

/** Each table, and the partitioned copy with which `EventPartitioning` replaces it. */
const PAIRS = [
  ['events', COPY_OF_EVENTS],
  ['event_private', COPY_OF_PRIVATE],
] as const;

/** Builds one PL/pgSQL block for each pair. Its variables `original` and `copy` are the table and the copy. */
const buildBlocksSql = (declarations: string, statements: string): string =>
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

/** Gives the copies the settings of the tables: the storage parameters, and the statistics targets of the columns. */
export const copySettingsSql = buildBlocksSql(
  'item record;',
  `
    -- A partitioned table has no storage parameters, so each of its partitions gets those of the original table.
    FOR item IN
      SELECT inhrelid::regclass AS partition, source.reloptions, toast.reloptions AS toast_options
      FROM pg_inherits JOIN pg_class source ON source.oid = original
      LEFT JOIN pg_class toast ON toast.oid = source.reltoastrelid
      WHERE inhparent = copy
    LOOP
      IF item.reloptions IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s SET (%s)', item.partition, array_to_string(item.reloptions, ', '));
      END IF;
      IF item.toast_options IS NOT NULL THEN
        -- Each parameter of the TOAST table needs the prefix "toast.", so the separator contains it, too.
        EXECUTE format('ALTER TABLE %s SET (toast.%s)', item.partition, array_to_string(item.toast_options, ', toast.'));
      END IF;
    END LOOP;
    FOR item IN
      SELECT attname, attstattarget FROM pg_attribute
      WHERE attrelid = original AND attnum > 0 AND NOT attisdropped AND attstattarget >= 0
    LOOP
      -- This also sets the target of the partitions.
      EXECUTE format('ALTER TABLE %s ALTER %I SET STATISTICS %s', copy, item.attname, item.attstattarget);
    END LOOP;`,
);

/**
 * Gives the copies the privileges of the tables, except those of the owners. Partitions get none, because the service
 * accesses them only through the partitioned table.
 */
const copyPrivilegesSql = buildBlocksSql(
  'item record;',
  `
    FOR item IN
      SELECT privilege_type AS privilege,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role,
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
      FROM pg_class, aclexplode(relacl) WHERE oid = original AND grantee <> relowner
    LOOP
      EXECUTE format('GRANT %s ON %s TO %s%s', item.privilege, copy, item.role, item.option);
      -- An insert into the copy uses the sequence event_positions, which needs a privilege of its own. The identity
      -- column of the original table needs none.
      IF item.privilege = 'INSERT' AND original = 'events'::regclass THEN
        EXECUTE format('GRANT USAGE ON SEQUENCE event_positions TO %s%s', item.role, item.option);
      END IF;
    END LOOP;`,
);

/** Gives the copies and their partitions the owners of the tables. */
const copyOwnersSql = buildBlocksSql(
  'item record; new_owner text;',
  `
    -- Null if both have the same owner.
    SELECT quote_ident(pg_get_userbyid(source.relowner)) INTO new_owner
    FROM pg_class source, pg_class target
    WHERE source.oid = original AND target.oid = copy AND source.relowner <> target.relowner;
    IF new_owner IS NOT NULL THEN
      EXECUTE format('ALTER TABLE %s OWNER TO %s', copy, new_owner);
      FOR item IN SELECT inhrelid::regclass AS partition FROM pg_inherits WHERE inhparent = copy LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO %s', item.partition, new_owner);
      END LOOP;
    END IF;`,
);

/** Keeps all other sessions from reading or writing the tables until the end of the transaction. */
export const lockTablesSql = 'LOCK TABLE events, event_private IN ACCESS EXCLUSIVE MODE';

/**
 * Counts the transactions whose snapshot may be older than the transaction id $1. This id is assigned after the last
 * batch of rows was copied, so an older snapshot may not contain all rows of the copies. A greater `age` means an older
 * id.
 */
export const countOldSnapshotsSql = `
  SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    AND backend_xmin IS NOT NULL AND age(backend_xmin) > age($1::xid)`;

/**
 * Creates a function that returns which of the event ids are in the stream. It always uses the generic plan, which
 * chooses the partition when it is executed. Otherwise, PostgreSQL would plan each call.
 */
export const createFindKnownEventsSql = `
  CREATE OR REPLACE FUNCTION find_known_events(stream text, ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan AS $$
  BEGIN
    RETURN ARRAY(SELECT event_id FROM events WHERE stream_id = stream AND event_id = ANY (ids));
  END $$;`;

/** Sets the sequence of the copy, so that positions continue after the last one that was ever assigned. */
const continuePositionsSql = `
  DO $$
  DECLARE
    highest bigint;
  BEGIN
    -- The new sequence takes over the state of the old one, which belongs to the identity column.
    EXECUTE format('SELECT setval(''event_positions'', last_value, is_called) FROM %s',
      pg_get_serial_sequence('events', 'global_position'));
    SELECT max(global_position) INTO highest FROM ${COPY_OF_EVENTS};
    -- Rows that were written with explicit positions may be ahead of the sequence.
    IF highest > (SELECT last_value FROM event_positions) THEN
      PERFORM setval('event_positions', highest);
    END IF;
  END $$;`;

/**
 * Drops the tables and what the conversion needed: the record of how far the copies were filled, and the functions of
 * the triggers that repeated every write in the copies.
 */
const dropTablesSql = `
  DROP TABLE events, event_private, event_partitioning;
  DROP FUNCTION mirror_events(), mirror_event_private();`;

/** Gives the copies the names of the tables. */
const renameCopiesSql = `
  ALTER TABLE ${COPY_OF_EVENTS} RENAME TO events;
  ALTER TABLE events RENAME CONSTRAINT ${COPY_OF_EVENTS}_pkey TO events_pkey;
  ALTER TABLE events RENAME CONSTRAINT ${COPY_OF_EVENTS}_stream_event_key TO events_stream_event_key;
  ALTER INDEX ${COPY_OF_EVENTS}_global_position_idx RENAME TO events_global_position_idx;
  ALTER INDEX ${COPY_OF_EVENTS}_findings_idx RENAME TO events_findings_idx;

  ALTER TABLE ${COPY_OF_PRIVATE} RENAME TO event_private;
  ALTER TABLE event_private RENAME CONSTRAINT ${COPY_OF_PRIVATE}_pkey TO event_private_pkey;
  ALTER INDEX ${COPY_OF_PRIVATE}_subject_idx RENAME TO event_private_subject_idx;
  ALTER INDEX ${COPY_OF_PRIVATE}_expires_idx RENAME TO event_private_expires_idx;`;

/**
 * The previous release erases the rows of a user by ctid, which is unique only within a partition, so the erasure would
 * also delete rows of other users. This trigger makes such an erasure fail. Workers of this release finish it.
 */
const refuseDeletionByCtidSql = `
  CREATE FUNCTION refuse_to_delete_by_ctid() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_query() LIKE '%DELETE FROM event_private WHERE ctid =%' THEN
      RAISE EXCEPTION 'a row of event_private is not identified by its ctid alone'
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER rows_are_not_deleted_by_ctid BEFORE DELETE ON event_private
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_delete_by_ctid();`;

/** Replaces the tables by their copies. */
export const swapTablesSql = [
  copyPrivilegesSql,
  copyOwnersSql,
  continuePositionsSql,
  dropTablesSql,
  renameCopiesSql,
  createFindKnownEventsSql,
  refuseDeletionByCtidSql,
].join('');
