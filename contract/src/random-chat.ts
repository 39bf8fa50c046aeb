import * as z from 'zod/mini';
import {
  clientIdSchema,
  gameIdSchema,
  idSchema,
  messageTypeSchema,
  randomMessageIdSchema,
  sessionIdSchema,
  timestampSchema,
} from './scalars.js';
import { publicUserSchema } from './users.js';

// Data of frames from clients. `userId` and `initiatorId` must be the id of the sender; the server refuses any other id
// with `forbidden`.

export const skipChatSchema = z.object({ sessionId: sessionIdSchema });

/** `showsChat`: whether the client's page shows the chat at present. */
export const showChatSchema = z.object({ sessionId: sessionIdSchema, showsChat: z.boolean() });

export const sendRandomMessageSchema = z.object({
  sessionId: sessionIdSchema,
  content: z.string(),
  messageType: messageTypeSchema,
  /** The message that this one replies to. The server adds the quoted content (see `replyToSchema`). */
  replyTo: z.nullish(z.object({ messageId: randomMessageIdSchema })),
  /** Chosen by the client: a message that is sent again with the same `clientId` is stored only once. */
  clientId: z.optional(clientIdSchema),
});
export type SendRandomMessage = z.infer<typeof sendRandomMessageSchema>;

export const reactToMessageSchema = z.object({
  sessionId: sessionIdSchema,
  messageId: randomMessageIdSchema,
  emoji: z.string(),
  action: z.enum(['add', 'remove']),
  userId: idSchema,
});
export const editMessageSchema = z.object({
  sessionId: sessionIdSchema,
  messageId: randomMessageIdSchema,
  newContent: z.string(),
  userId: idSchema,
});

// Break the Ice is a game of two users who answer the same question. It ends when both have answered or one ignores it.

export const breakIceStartSchema = z.object({
  sessionId: sessionIdSchema,
  gameId: gameIdSchema,
  /** Only the id. Both users receive the question itself from the server. */
  question: z.object({ id: z.int() }),
  initiatorId: idSchema,
});
export const breakIceResponseSchema = z.object({
  sessionId: sessionIdSchema,
  gameId: gameIdSchema,
  response: z.string(),
  userId: idSchema,
});
export const breakIceIgnoreSchema = z.object({
  sessionId: sessionIdSchema,
  gameId: gameIdSchema,
  userId: idSchema,
});

// Data of frames to clients. Frames of stored events carry `seq`, the event's version in the stream of the session.

const storedEventFields = { sessionId: sessionIdSchema, seq: z.int() };

export const chatMatchedSchema = z.object({
  ...storedEventFields,
  partnerId: idSchema,
  partnerInfo: publicUserSchema,
});
export type ChatMatched = z.infer<typeof chatMatchedSchema>;

export const replyToSchema = z.object({
  messageId: randomMessageIdSchema,
  content: z.string(),
  senderId: idSchema,
  senderName: z.string(),
});
export type ReplyTo = z.infer<typeof replyToSchema>;

export const randomMessageSchema = z.object({
  ...storedEventFields,
  id: randomMessageIdSchema,
  senderId: idSchema,
  content: z.string(),
  type: messageTypeSchema,
  timestamp: timestampSchema,
  replyTo: z.nullable(replyToSchema),
  clientId: z.optional(clientIdSchema),
});
export type RandomMessage = z.infer<typeof randomMessageSchema>;

export const reactionsSchema = z.record(z.string(), z.object({ count: z.int(), users: z.array(idSchema) }));
export type Reactions = z.infer<typeof reactionsSchema>;

export const messageReactionSchema = z.object({
  ...storedEventFields,
  messageId: randomMessageIdSchema,
  emoji: z.string(),
  action: z.enum(['add', 'remove']),
  userId: idSchema,
  reactions: reactionsSchema,
});
export const messageEditedSchema = z.object({
  ...storedEventFields,
  messageId: randomMessageIdSchema,
  newContent: z.string(),
});

export const questionSchema = z.object({
  id: z.int(),
  question: z.string(),
  options: z.array(z.string()),
  category: z.enum(['love_language', 'apology_language', 'anger_management']),
});
export type Question = z.infer<typeof questionSchema>;

const gameEventFields = { ...storedEventFields, gameId: gameIdSchema };

export const breakIceQuestionReceivedSchema = z.object({
  ...gameEventFields,
  question: questionSchema,
  initiatorId: idSchema,
});
/** To the user who has answered first. The partner receives `breakIcePartnerAnsweredSchema` for the same event. */
export const breakIceWaitingSchema = z.object({
  ...gameEventFields,
  /** A fixed text. Thaw's page shows its own text instead. */
  message: z.string(),
});
export const breakIcePartnerAnsweredSchema = z.object(gameEventFields);
export const breakIceRevealSchema = z.object({
  ...gameEventFields,
  question: questionSchema,
  yourResponse: z.string(),
  theirResponse: z.string(),
  sameAnswer: z.boolean(),
});
export const breakIceIgnoredSchema = z.object({ ...gameEventFields, ignoredBy: idSchema });

/** Every end except a skip is `disconnected`: clients cannot distinguish it from a lost connection. */
export const endReasonSchema = z.enum(['skipped', 'disconnected']);
export type EndReason = z.infer<typeof endReasonSchema>;

export const chatSkippedSchema = z.object({
  ...storedEventFields,
  reason: endReasonSchema,
  /** The user who skipped; null for any other reason. */
  endedBy: z.nullable(idSchema),
});
export type ChatSkipped = z.infer<typeof chatSkippedSchema>;

export const partnerConnectionStateSchema = z.enum(['reconnecting', 'connected']);
export const partnerConnectionSchema = z.object({
  sessionId: sessionIdSchema,
  state: partnerConnectionStateSchema,
});

/**
 * Advances `seq` past an event that has no frame for this client: either a newer release wrote the event, or it
 * concerns only the partner.
 */
export const sessionAdvancedSchema = z.object(storedEventFields);
export type SessionAdvanced = z.infer<typeof sessionAdvancedSchema>;

/** The events that a reconnecting client has missed. */
export const sessionResumedSchema = z.object({
  sessionId: sessionIdSchema,
  /**
   * Set if the client has seen a higher `seq` than the server knows: the client discards its state of the session and
   * applies these events.
   */
  reset: z.optional(z.literal(true)),
  /** The client's `seq` once it has applied the events of this frame. */
  seq: z.int(),
  partnerId: idSchema,
  partnerInfo: publicUserSchema,
  partnerConnection: partnerConnectionStateSchema,
  events: z.array(z.object({ event: z.string(), data: z.unknown() })),
  /** False if another `session_resumed` frame follows: many missed events are split into several frames. */
  last: z.boolean(),
});
export type SessionResumed = z.infer<typeof sessionResumedSchema>;
