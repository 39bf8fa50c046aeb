/**
 * The parts of the statement of `buildOpenStreamSql` that the calling module provides. Each becomes a common table
 * expression (CTE) of the statement: `query` the first one, `opening`, and `project` the last one. Between them, the
 * CTE `opened` inserts the event.
 *
 * The parameters of the parts start at $9. The event store binds $1 event id, $2 type, $3 schema version, $4 data,
 * $5 metadata, $6 personal data, $7 id of the user whom the personal data is about, and $8 how long it is kept, in
 * milliseconds.
 */
export interface OpeningParts {
  /**
   * A SELECT of one row, or of no row to refuse the command. Its columns are `stream_id`, `occurred_at`, `assigned`
   * (jsonb: event fields whose values only the database can determine) and `is_new` (false if the command was executed
   * before: nothing is written). Further columns are returned to the caller.
   */
  query: string;
  /**
   * An INSERT that writes the rows of the read model. It reads the row of `query` from the CTE `opening`, with the
   * condition `WHERE is_new`, and the `global_position` of the new event from the CTE `opened`.
   */
  project: string;
}

/**
 * Builds a statement that opens a stream with its first event and writes the read model, in one transaction of its own
 * and one round trip. For hot paths in which `query` either generates a new stream id or finds that the command was
 * executed before, so that no version has to be compared.
 */
export const buildOpenStreamSql = ({ query, project }: OpeningParts): string => `
WITH opening AS (${query}
), stream AS (
  INSERT INTO event_streams (stream_id, stream_type, version)
  SELECT stream_id, split_part(stream_id, '-', 1), 1 FROM opening WHERE is_new
), opened AS (
  INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
  SELECT stream_id, 1, $1::uuid, $2::text, $3::int, $4::jsonb || assigned, $5::jsonb, occurred_at
  FROM opening WHERE is_new
  RETURNING global_position
), private AS (
  INSERT INTO event_private (event_id, stream_id, subject_id, data, expires_at)
  SELECT $1::uuid, stream_id, $7::bigint, $6::jsonb, occurred_at + $8::bigint * interval '1 millisecond'
  FROM opening WHERE is_new AND $6::jsonb IS NOT NULL
), projected AS (${project}
)
SELECT opening.*, opened.global_position FROM opening LEFT JOIN opened ON true`;
