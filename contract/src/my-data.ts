import * as z from 'zod/mini';
import { idSchema, timestampSchema } from './scalars.js';

/** What an anonymous user types to confirm. */
export const ERASURE_CONFIRMATION = 'DELETE';

/**
 * Body of POST /api/user/{id}/erasure. Registered users give their password, anonymous users type `DELETE`.
 */
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

/** What was erased, by kind. */
export const erasedSchema = z.object({
  personalFields: countSchema,
  randomChats: countSchema,
  privateMessages: countSchema,
  images: countSchema,
  friendships: countSchema,
  requests: countSchema,
  blocks: countSchema,
  sessions: countSchema,
  redisKeys: countSchema,
});
export type Erased = z.infer<typeof erasedSchema>;

export const keptSchema = z.object({
  what: z.string(),
  why: z.enum(['open_case', 'appeal_window', 'legal_hold', 'sanction']),
  until: z.nullable(timestampSchema),
});
export type Kept = z.infer<typeof keptSchema>;

/** When the last copies are gone that the erasure itself cannot reach. */
export const horizonsSchema = z.object({
  backupsDays: z.number(),
  browserCachesHours: z.number(),
  appendOnlyFileMinutes: z.number(),
  logsDays: z.number(),
});
export type Horizons = z.infer<typeof horizonsSchema>;

/** The signed content of a receipt. */
export const receiptContentSchema = z.object({
  v: z.literal(1),
  receiptId: receiptIdSchema,
  userId: idSchema,
  reason: z.enum(['asked', 'inactive', 'operator']),
  requestedAt: timestampSchema,
  finishedAt: timestampSchema,
  erased: erasedSchema,
  kept: z.array(keptSchema),
  horizons: horizonsSchema,
});
export type ReceiptContent = z.infer<typeof receiptContentSchema>;

/** What is stored about the user at this moment. */
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
  /** What the receipt signs. */
  content: z.nullable(receiptContentSchema),
  remaining: remainingSchema,
});
export type Receipt = z.infer<typeof receiptSchema>;

/** A public key that signs receipts, as JWK (RFC 8037). */
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
