import { createHash } from 'node:crypto';
import {
  type ExportEvent,
  type ExportLine,
  exportLineSchema,
  type ExportReady,
  type ExportRecord,
} from '@thaw/contract/my-data-export';
import type { ThawVisitor } from './thaw.client';

type RunStatement = (sql: string, parameters: unknown[]) => Promise<unknown>;

/**
 * Writes `chats` random chats (chats with a stranger) of a user to the event store and the chat history, each with
 * `messages` messages. The user sends all messages; the partner is the user `userId + 1`. In the stream of a chat,
 * `ChatStarted` has the position 1 and the messages have the positions from 2.
 */
export const fillChats = async (
  runStatement: RunStatement,
  userId: number,
  { chats = 1, messages }: { chats?: number; messages: number },
): Promise<void> => {
  await runStatement(
    `WITH newest AS (
       SELECT COALESCE(max(id), 0) AS id FROM chat_history
     ), chat AS (
       SELECT newest.id + n AS id, 'chat-' || gen_random_uuid() AS stream_id
       FROM newest, generate_series(1, $2::int) AS n
     ), history AS (
       INSERT INTO chat_history (id, stream_id, user1_id, user2_id, created_at)
       SELECT id, stream_id, $1::bigint, $1::bigint + 1, now() FROM chat
     ), stream AS (
       INSERT INTO event_streams (stream_id, stream_type, version)
       SELECT stream_id, 'chat', 1 + $3::int FROM chat -- ChatStarted and the messages
     ), message AS MATERIALIZED ( -- so that event_private and events get the same event ids
       SELECT stream_id, n, gen_random_uuid() AS event_id FROM chat, generate_series(1, $3::int) AS n
     ), private AS (
       INSERT INTO event_private (event_id, stream_id, subject_id, data)
       SELECT event_id, stream_id, $1::bigint, jsonb_build_object('content', repeat('words ', 20), 'replyTo', null)
       FROM message
     )
     INSERT INTO events
       (stream_id, stream_position, event_id, type, schema_version,
        data,
        metadata, occurred_at)
     SELECT
        stream_id, 1, gen_random_uuid(), 'ChatStarted', 1,
        jsonb_build_object('userIds', jsonb_build_array($1::bigint, $1::bigint + 1)),
        '{}'::jsonb, now()
     FROM chat
     UNION ALL
     SELECT
        stream_id, n + 1, event_id, 'MessageSent', 1,
        jsonb_build_object('senderId', $1::bigint, 'messageType', 'text'),
        -- An export shows the entry id as messageId. Here, all messages have the same.
        '{"entryId":"1-0"}'::jsonb, now()
     FROM message`,
    [userId, chats, messages],
  );
};

/** Requests an export. @returns the path of the download. */
export const requestExport = async (visitor: ThawVisitor, currentPassword?: string): Promise<string> => {
  const { status, body } = await visitor.call('POST', `/api/my-data/${visitor.user.id}/export`, {
    currentPassword,
  });
  if (status !== 201) throw new Error(`The request for an export was answered with ${status}`);
  return (body as unknown as ExportReady).url;
};

/** Starts a download. @param path the result of `requestExport` */
export const openDownload = (
  visitor: ThawVisitor,
  path: string,
  { origin = visitor.origins[0] ?? '', signal }: { origin?: string; signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(`${origin}${path}`, { headers: { cookie: visitor.cookie }, signal: signal ?? null });

export interface ParsedExport {
  lines: ExportLine[];
  events: ExportEvent[];
  records: ExportRecord[];
}

/** Parses a complete export, and expects the counts and the hash in its last line, the trailer, to be correct. */
export const parseExport = (text: string): ParsedExport => {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => exportLineSchema.parse(JSON.parse(line)));
  const trailer = lines.at(-1);
  if (trailer?.kind !== 'trailer') throw new Error('The export has no trailer');
  const events = lines.filter((line) => line.kind === 'event');
  const records = lines.filter((line) => line.kind === 'record');
  const textBeforeTrailer = text.slice(0, text.lastIndexOf('{"kind":"trailer"'));
  const sha256 = createHash('sha256').update(textBeforeTrailer).digest('hex');
  expect(trailer).toEqual({ kind: 'trailer', events: events.length, records: records.length, sha256 });
  return { lines, events, records };
};

/** Requests, downloads and parses the export of a user. */
export const downloadExport = async (
  visitor: ThawVisitor,
  currentPassword?: string,
): Promise<ParsedExport> => {
  const response = await openDownload(visitor, await requestExport(visitor, currentPassword));
  if (response.status !== 200) throw new Error(`The download was answered with ${response.status}`);
  return parseExport(await response.text());
};

/** Lists which kinds of content the export has: `<section> <type>` of events, and `<table>` of records, each once. */
export const summarizeExport = ({ events, records }: ParsedExport): string[] => [
  ...new Set([
    ...events.map(({ section, type }) => `${section} ${type}`),
    ...records.map(({ table }) => table),
  ]),
];
