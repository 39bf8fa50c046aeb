import * as z from 'zod/mini';
import { limits } from './limits.js';
import { isPlainLine } from './text.js';

/** An id of a user, a friend request, a private message or another stored item: a positive integer below 2^53. */
export const idSchema = z.int().check(z.positive());

/**
 * Whether a string is a valid `sessionId`, `gameId`, `clientId` or `ref` (the id of a frame): 1 to 64 UTF-16 code
 * units, well-formed and without control characters (PostgreSQL stores neither NUL nor lone surrogates). Invalid ids
 * are refused rather than cleaned, because cleaning could make two ids equal.
 */
export const isWireId = (text: string): boolean =>
  text.length > 0 && text.length <= limits.idMaxLength && isPlainLine(text);

const wireIdSchema = z.string().check(z.refine(isWireId));

export const refSchema = wireIdSchema;
export const sessionIdSchema = wireIdSchema;
export const gameIdSchema = wireIdSchema;
export const clientIdSchema = wireIdSchema;
/** `<epoch ms>-<n>`, assigned by the server, increasing within a session. */
export const randomMessageIdSchema = z.string().check(z.regex(/^\d{1,16}-\d{1,10}$/));
/**
 * ISO 8601 in UTC, as `Date.toISOString` returns it. Zod's own check would add half a kilobyte to the page's bundle.
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

/** The gender of the partners with whom a user wants to be matched. */
export const preferenceSchema = z.enum(['both', 'male', 'female']);
export type Preference = z.infer<typeof preferenceSchema>;

export const messageTypeSchema = z.enum(['text', 'image', 'mixed']);
export type MessageType = z.infer<typeof messageTypeSchema>;

/** `senderId` of system notices; no user has this id. */
export const SYSTEM_SENDER_ID = 0;
