import * as z from 'zod/mini';
import { idSchema, timestampSchema } from './scalars.js';

/** The word that an anonymous user types to confirm the erasure of their data. */
export const ERASURE_CONFIRMATION = 'DELETE';

/** Body of POST /api/user/{id}/erasure. Registered users send `currentPassword`, anonymous users `confirm`. */
export const requestErasureSchema = z.object({
  currentPassword: z.optional(z.string()),
  confirm: z.optional(z.literal(ERASURE_CONFIRMATION)),
});
export type RequestErasure = z.infer<typeof requestErasureSchema>;

/** 128 bits in base64url. */
export const receiptIdSchema = z.string().check(z.regex(/^[\w-]{22}$/));

/** Response body of POST /api/user/{id}/erasure. */
export const erasureAcceptedSchema = z.object({ receiptId: receiptIdSchema });
export type ErasureAccepted = z.infer<typeof erasureAcceptedSchema>;

const countSchema = z.int().check(z.minimum(0));

/** Number of erased items, by kind. */
export const erasedSchema = z.object({
  personalFields: countSchema,
  randomChats: countSchema,
  privateMessages: countSchema,
  images: countSchema,
  friendships: countSchema,
  /** Friend requests. */
  requests: countSchema,
  blocks: countSchema,
  /** Login sessions. */
  sessions: countSchema,
  redisKeys: countSchema,
});
export type Erased = z.infer<typeof erasedSchema>;

/** Data that an erasure does not remove yet, and the reason. */
export const keptSchema = z.object({
  /** A description for the user. */
  what: z.string(),
  why: z.enum(['open_case', 'appeal_window', 'legal_hold', 'sanction']),
  /** When the data expires; null while this is not known. */
  until: z.nullable(timestampSchema),
});
export type Kept = z.infer<typeof keptSchema>;

/** For how long copies of the erased data remain in places that the erasure cannot change, such as backups. */
export const horizonsSchema = z.object({
  backupsDays: z.number(),
  browserCachesHours: z.number(),
  /** Redis' append-only file. */
  appendOnlyFileMinutes: z.number(),
  logsDays: z.number(),
});
export type Horizons = z.infer<typeof horizonsSchema>;

/** The signed content of a receipt. */
export const receiptContentSchema = z.object({
  /** Version of the format. */
  v: z.literal(1),
  receiptId: receiptIdSchema,
  userId: idSchema,
  /**
   * What led to the erasure. `asked`: a request of the user; `inactive`: the inactivity of an anonymous user;
   * `operator`: the restoration of a backup, after which an operator repeats earlier erasures.
   */
  reason: z.enum(['asked', 'inactive', 'operator']),
  requestedAt: timestampSchema,
  finishedAt: timestampSchema,
  erased: erasedSchema,
  kept: z.array(keptSchema),
  horizons: horizonsSchema,
});
export type ReceiptContent = z.infer<typeof receiptContentSchema>;

/** Number of items that are still stored about the user at the time of the response. */
export const remainingSchema = z.object({
  personalFields: countSchema,
  uploads: countSchema,
  sessions: countSchema,
  credentials: countSchema,
  devices: countSchema,
  total: countSchema,
});
export type Remaining = z.infer<typeof remainingSchema>;

/** Response body of GET /api/receipts/{receiptId}, which is public. */
export const receiptSchema = z.object({
  state: z.enum(['running', 'done']),
  requestedAt: timestampSchema,
  /** JWS in compact serialisation, EdDSA (RFC 8037); null while the erasure is running. */
  receipt: z.nullable(z.string()),
  /** The decoded payload of `receipt`; null while the erasure is running. */
  content: z.nullable(receiptContentSchema),
  remaining: remainingSchema,
});
export type Receipt = z.infer<typeof receiptSchema>;

/** A public key that verifies receipts, as JWK (RFC 8037). */
export const receiptKeySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
});
export type ReceiptKey = z.infer<typeof receiptKeySchema>;

/** Response body of GET /api/receipts/keys: a JWK set. */
export const receiptKeysSchema = z.object({ keys: z.array(receiptKeySchema) });
export type ReceiptKeys = z.infer<typeof receiptKeysSchema>;
