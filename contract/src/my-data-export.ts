import * as z from 'zod/mini';
import { idSchema, timestampSchema } from './scalars.js';

/** Body of POST /api/my-data/{userId}/export. `currentPassword` is required from registered users. */
export const requestExportSchema = z.object({ currentPassword: z.optional(z.string()) });
export type RequestExport = z.infer<typeof requestExportSchema>;

/** Response body of POST /api/my-data/{userId}/export. */
export const exportReadySchema = z.object({
  /** A relative URL that serves one download, and only to the login session that requested the export. */
  url: z.string(),
  expiresAt: timestampSchema,
});
export type ExportReady = z.infer<typeof exportReadySchema>;

/** The random part of the URL of an export: 128 bits in base64url. */
export const exportTokenSchema = z.string().check(z.regex(/^[\w-]{22}$/));

/** The name under which browsers save an export. */
export const exportFileName = 'thaw-my-data.jsonl';

/**
 * The sections of an export, in the order of the file. `private` contains private messages, and `records` rows of
 * tables whose data is not in the event log.
 */
export const exportSections = [
  'account',
  'friends',
  'blocks',
  'chats',
  'private',
  'conduct',
  'records',
] as const;
export type ExportSection = (typeof exportSections)[number];

const dataSchema = z.record(z.string(), z.unknown());

// An export is a JSONL file: a header, events and records, and a trailer.

/** The first line of an export. */
export const exportHeaderSchema = z.object({
  kind: z.literal('header'),
  format: z.literal('thaw-export'),
  version: z.literal(1),
  userId: idSchema,
  createdAt: timestampSchema,
  sections: z.array(z.enum(exportSections)),
});
export type ExportHeader = z.infer<typeof exportHeaderSchema>;

/** One event of the event log that concerns the user. */
export const exportEventSchema = z.object({
  kind: z.literal('event'),
  section: z.enum(exportSections),
  stream: z.string(),
  /**
   * Position in the stream, from 1. The sections `friends` and `conduct` omit some events and number the exported ones
   * without gaps.
   */
  position: z.int().check(z.positive()),
  at: timestampSchema,
  type: z.string(),
  /** Who acted: `me` is the user whose data is exported; null for the service and its moderators. */
  by: z.nullable(z.enum(['me', 'other'])),
  data: dataSchema,
  /** Names of fields that were left out or shortened, for example because they contain another user's words. */
  omitted: z.optional(z.array(z.string())),
});
export type ExportEvent = z.infer<typeof exportEventSchema>;

/** A row of a table whose data is not in the event log. */
export const exportRecordSchema = z.object({
  kind: z.literal('record'),
  section: z.literal('records'),
  table: z.string(),
  data: dataSchema,
});
export type ExportRecord = z.infer<typeof exportRecordSchema>;

const countSchema = z.int().check(z.minimum(0));

/** The last line of an export. A file without a trailer is incomplete. */
export const exportTrailerSchema = z.object({
  kind: z.literal('trailer'),
  events: countSchema,
  records: countSchema,
  /** SHA-256 of every byte before this line, in hex. */
  sha256: z.string(),
});
export type ExportTrailer = z.infer<typeof exportTrailerSchema>;

export const exportLineSchema = z.discriminatedUnion('kind', [
  exportHeaderSchema,
  exportEventSchema,
  exportRecordSchema,
  exportTrailerSchema,
]);
export type ExportLine = z.infer<typeof exportLineSchema>;
