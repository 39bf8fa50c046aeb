import * as z from 'zod/mini';
import {
  deletePrivateMessageSchema,
  editPrivateMessageSchema,
  reactPrivateMessageSchema,
  sendPrivateMessageSchema,
} from './private-chat.js';
import {
  breakIceIgnoreSchema,
  breakIceResponseSchema,
  breakIceStartSchema,
  editMessageSchema,
  reactToMessageSchema,
  sendRandomMessageSchema,
  showChatSchema,
  skipChatSchema,
} from './random-chat.js';
import { idSchema, preferenceSchema, sessionIdSchema } from './scalars.js';

/** Schemas of the `data` of every frame a client may send, by the name of its event. Parsing drops unknown fields. */
export const clientFrames = {
  authenticate: z.object({
    userId: idSchema,
    /** The last event that the client applied to its random chat. The server then sends only the later events. */
    lastSeen: z.optional(z.object({ sessionId: sessionIdSchema, seq: z.int().check(z.nonnegative()) })),
    /** Whether the page of this socket shows the chat; absent means true. */
    showsChat: z.optional(z.boolean()),
  }),
  ping: z.object({}),
  /** The field contains a single preference. Its plural name is part of the protocol. */
  join_queue: z.object({ preferences: z._default(preferenceSchema, 'both') }),
  leave_queue: z.object({}),
  show_chat: showChatSchema,
  skip_chat: skipChatSchema,
  random_message: sendRandomMessageSchema,
  break_ice_start: breakIceStartSchema,
  break_ice_response: breakIceResponseSchema,
  break_ice_ignore: breakIceIgnoreSchema,
  message_reaction: reactToMessageSchema,
  message_edit: editMessageSchema,
  /** Typing in a random chat (`sessionId`) or in the private chat with a friend (`receiverId`). */
  typing: z.union([z.object({ sessionId: sessionIdSchema }), z.object({ receiverId: idSchema })]),
  send_private_message: sendPrivateMessageSchema,
  edit_private_message: editPrivateMessageSchema,
  react_private_message: reactPrivateMessageSchema,
  delete_private_message: deletePrivateMessageSchema,
} as const;

export type ClientEvent = keyof typeof clientFrames;
/** The parsed `data` that a handler on the server receives, with defaults applied. */
export type ClientData<E extends ClientEvent> = z.output<(typeof clientFrames)[E]>;
/** The `data` that a client sends; fields with a default are optional. */
export type ClientInput<E extends ClientEvent> = z.input<(typeof clientFrames)[E]>;
