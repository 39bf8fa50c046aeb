/** What a statement that opens streams is made of. The store's own parameters come first: its own begin at $9. */
export interface OpeningParts {
  /**
   * One row, or none to refuse: `stream_id`, `occurred_at`, `assigned` (jsonb: fields of the event that are only known
   * here), `is_new` (false: it had been done before, and nothing is written), and what the caller wants to know.
   */
  query: string;
  /** INSERT that writes the read model's rows from `opening WHERE is_new`. */
  project: string;
}

/**
 * One statement opens a stream with its first event, and writes the read model with it: all or nothing, committed by
 * itself, in one round trip. For hot paths whose streams are new by their names, so that no version is in question.
 */
export const openStream = ({ query, project }: OpeningParts): string => `
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
