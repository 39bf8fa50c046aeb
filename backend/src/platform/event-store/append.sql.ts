/**
 * Builds a statement that appends to one or many streams: all or nothing, without gaps, in the order of the parameters.
 * The parameters $1 to $10 are arrays, one for each column of `incoming`. Events whose id is already in their stream
 * are skipped. The statement returns a row for each of the others. The positions in a row are null if its stream was
 * not at the expected version.
 * @param isNewSql condition: the event `candidate` is not in its stream.
 * @param increaseVersionsSql statement that adds `growth.added` (the number of new events) to the version of each
 * stream that is at the expected version, and returns the id and the new version of these streams.
 */
const buildAppendSql = (isNewSql: string, increaseVersionsSql: string): string => `
WITH incoming AS (
  SELECT * FROM unnest(
    $1::text[], $2::uuid[], $3::text[], $4::int[], $5::jsonb[], $6::jsonb[], $7::timestamptz[],
    $8::jsonb[], $9::bigint[], $10::timestamptz[]
  ) WITH ORDINALITY AS t(
    stream_id, event_id, type, schema_version, data, metadata, occurred_at,
    personal, subject_id, expires_at, ordinal
  )
), new_events AS (
  -- nth counts the new events of a stream, from 1. The inner SELECT keeps the first copy of each event.
  SELECT candidate.*, row_number() OVER (PARTITION BY candidate.stream_id ORDER BY candidate.ordinal) AS nth
  FROM (SELECT DISTINCT ON (stream_id, event_id) * FROM incoming ORDER BY stream_id, event_id, ordinal) candidate
  WHERE ${isNewSql}
), growth AS (
  SELECT stream_id, count(*) AS added FROM new_events GROUP BY stream_id
), grown_streams (stream_id, new_version) AS (${increaseVersionsSql}
), inserted AS (
  INSERT INTO events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
  SELECT n.stream_id, s.new_version - g.added + n.nth, n.event_id, n.type, n.schema_version,
    n.data, n.metadata, n.occurred_at
  FROM new_events n JOIN growth g USING (stream_id) JOIN grown_streams s USING (stream_id)
  ORDER BY n.ordinal
  RETURNING stream_id, event_id, stream_position, global_position
), private AS (
  INSERT INTO event_private (event_id, stream_id, subject_id, data, expires_at)
  SELECT n.event_id, n.stream_id, n.subject_id, n.personal, n.expires_at
  FROM new_events n JOIN grown_streams s USING (stream_id)
  WHERE n.personal IS NOT NULL
)
SELECT n.ordinal::int AS ordinal,
  inserted.stream_position::int AS stream_position, inserted.global_position::bigint AS global_position
FROM new_events n LEFT JOIN inserted USING (stream_id, event_id)
ORDER BY n.ordinal`;

/** For appends to any number of streams. */
const isNewInItsStreamSql = `NOT EXISTS (
    SELECT 1 FROM events e WHERE e.stream_id = candidate.stream_id AND e.event_id = candidate.event_id)`;

/**
 * For appends to one stream. The function `find_known_events` keeps the partitions of `events` out of the plan of the
 * append. Otherwise PostgreSQL would plan the prepared statement again for each execution (docs/decisions/0078). The
 * inner SELECT calls the function once instead of once per event. The cast makes its result an array for ALL.
 */
const isNewInOneStreamSql =
  'candidate.event_id <> ALL ((SELECT find_known_events(($1::text[])[1], $2::uuid[]))::uuid[])';

/** The type of a stream: the part of its id before the dash. */
const streamTypeSql = `split_part(stream_id, '-', 1)`;

/** Appends to existing and new streams, whatever their version. */
export const appendAtAnyVersionSql = buildAppendSql(
  isNewInItsStreamSql,
  `
  INSERT INTO event_streams (stream_id, stream_type, version)
  SELECT stream_id, ${streamTypeSql}, added FROM growth ORDER BY stream_id
  ON CONFLICT (stream_id) DO UPDATE SET version = event_streams.version + excluded.version
  RETURNING stream_id, version`,
);

/** Appends to a stream that must not exist yet. */
export const appendToNewStreamSql = buildAppendSql(
  isNewInOneStreamSql,
  `
  INSERT INTO event_streams (stream_id, stream_type, version)
  SELECT stream_id, ${streamTypeSql}, added FROM growth
  ON CONFLICT (stream_id) DO NOTHING
  RETURNING stream_id, version`,
);

/** Appends to a stream that must be at the version $11. */
export const appendAtExactVersionSql = buildAppendSql(
  isNewInOneStreamSql,
  `
  UPDATE event_streams s SET version = s.version + g.added
  FROM growth g
  WHERE s.stream_id = g.stream_id AND s.version = $11::bigint
  RETURNING s.stream_id, s.version`,
);
