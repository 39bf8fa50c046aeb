import * as z from 'zod/mini';
import { limits } from './limits.js';
import { isPlainLine } from './text.js';

/** Ids of users, requests, history entries and private messages: positive integers below 2^53. */
export const idSchema = z.int().check(z.positive());

/**
 * Whether a string from outside may be an id or a `ref`: 1 to 64 UTF-16 units, well-formed, no control character.
 * Anything else is refused and never cleaned: two ids must not become one, and PostgreSQL stores neither NUL nor half a
 * surrogate pair.
 */
export const isWireId = (text: string): boolean =>
  text.length > 0 && text.length <= limits.idMaxLength && isPlainLine(text);

const wireIdSchema = z.string().check(z.refine(isWireId));

export const refSchema = wireIdSchema;
export const sessionIdSchema = wireIdSchema;
export const gameIdSchema = wireIdSchema;
export const clientIdSchema = wireIdSchema;
/** `<epoch ms>-<n>`, made by the server, increasing within a session. */
export const randomMessageIdSchema = z.string().check(z.regex(/^\d{1,16}-\d{1,10}$/));
/**
 * ISO 8601, UTC, as `Date.toISOString` writes it. Not the library's own check, whose calendar costs every page half a
 * kilobyte.
 */
export const timestampSchema = z
  .string()
  .check(
    z.refine(
      (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text)),
    ),
  );

export const genderSchema = z.enum(['male', 'female']);
export type Gender = z.infer<typeof genderSchema>;

export const preferenceSchema = z.enum(['both', 'male', 'female']);
export type Preference = z.infer<typeof preferenceSchema>;

export const messageTypeSchema = z.enum(['text', 'image', 'mixed']);
export type MessageType = z.infer<typeof messageTypeSchema>;

/** Sender of a system notice. */
export const SYSTEM_SENDER_ID = 0;
