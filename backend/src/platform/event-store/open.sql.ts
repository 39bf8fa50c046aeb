/** The variable parts of a statement that opens a stream. Their parameters start at $9; the store's are $1 to $8. */
export interface OpeningParts {
  /**
   * Returns one row, or none to refuse: `stream_id`, `occurred_at`, `assigned` (jsonb: event fields whose values only
   * the database can determine), `is_new` (false for a repetition: nothing is written), and columns for the caller.
   */
  query: string;
  /** INSERT that writes the read model's rows from `opening WHERE is_new`. */
  project: string;
}

/**
 * Builds a statement that opens a stream with its first event and writes the read model: all or nothing, with its own
 * commit, in one round trip. For hot paths whose stream ids are always new, so that no version has to be compared.
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
