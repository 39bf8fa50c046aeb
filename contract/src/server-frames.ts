import * as z from 'zod/mini';
import { socketErrorCodes } from './error-codes.js';
import {
  friendRequestReceivedSchema,
  friendshipAcceptedSchema,
  friendshipRemovedSchema,
  presenceSchema,
  profileUpdatedSchema,
} from './friends.js';
import {
  privateMessageDeletedSchema,
  privateMessageEditedSchema,
  privateMessageReactionSchema,
  privateMessageReceivedSchema,
  privateMessagesReadSchema,
} from './private-chat.js';
import {
  breakIceIgnoredSchema,
  breakIcePartnerAnsweredSchema,
  breakIceQuestionReceivedSchema,
  breakIceRevealSchema,
  breakIceWaitingSchema,
  chatMatchedSchema,
  chatSkippedSchema,
  messageEditedSchema,
  messageReactionSchema,
  partnerConnectionSchema,
  randomMessageSchema,
  sessionAdvancedSchema,
  sessionResumedSchema,
} from './random-chat.js';
import { blockChangedSchema, noticeSchema, standingSchema } from './standing.js';
import { idSchema, preferenceSchema, sessionIdSchema, timestampSchema } from './scalars.js';

/** The state of a user with respect to random chats. */
export const userStateSchema = z.enum(['idle', 'searching', 'chatting']);
export type UserState = z.infer<typeof userStateSchema>;

export const socketErrorSchema = z.object({
  code: z.enum(socketErrorCodes),
  message: z.string(),
  retryAfterMs: z.optional(z.number()),
});
export type SocketError = z.infer<typeof socketErrorSchema>;

/** Schemas of the `data` of every frame that a server may send, by the name of its event. */
export const serverFrames = {
  authenticated: z.object({ userId: idSchema, state: userStateSchema }),
  /** The server sends no data. */
  pong: z.optional(z.object({})),
  /** The data depends on the acknowledged command: see acks.ts. */
  ack: z.record(z.string(), z.unknown()),
  error: socketErrorSchema,
  queue_joined: z.object({ preferences: preferenceSchema, since: timestampSchema }),
  queue_left: z.object({}),
  /** `anyoneMatches`: whether any searching user is compatible with the receiver of the frame. */
  queue_status: z.object({ waitedMs: z.number(), anyoneMatches: z.boolean() }),
  chat_matched: chatMatchedSchema,
  session_advanced: sessionAdvancedSchema,
  session_resumed: sessionResumedSchema,
  random_message: randomMessageSchema,
  message_reaction: messageReactionSchema,
  message_edited: messageEditedSchema,
  break_ice_question_received: breakIceQuestionReceivedSchema,
  /** Sent to the user who has answered first (docs/product-decisions.md, A76). */
  break_ice_partner_responded_waiting: breakIceWaitingSchema,
  break_ice_partner_answered: breakIcePartnerAnsweredSchema,
  break_ice_reveal_results: breakIceRevealSchema,
  break_ice_ignored: breakIceIgnoredSchema,
  chat_skipped: chatSkippedSchema,
  partner_connection: partnerConnectionSchema,
  /**
   * The user `userId` is typing. A frame of a random chat has `sessionId`. A frame of a private chat has `senderId`,
   * which equals `userId` and identifies the chat.
   */
  typing: z.object({
    sessionId: z.optional(sessionIdSchema),
    senderId: z.optional(idSchema),
    userId: idSchema,
  }),
  private_message: privateMessageReceivedSchema,
  private_message_edited: privateMessageEditedSchema,
  private_message_reaction: privateMessageReactionSchema,
  private_message_deleted: privateMessageDeletedSchema,
  private_messages_read: privateMessagesReadSchema,
  friend_request: friendRequestReceivedSchema,
  friendship_accepted: friendshipAcceptedSchema,
  friendship_removed: friendshipRemovedSchema,
  presence: presenceSchema,
  profile_updated: profileUpdatedSchema,
  block_changed: blockChangedSchema,
  standing: standingSchema,
  notice: noticeSchema,
} as const;

export type ServerEvent = keyof typeof serverFrames;
export type ServerData<E extends ServerEvent> = z.output<(typeof serverFrames)[E]>;

/** A parsed frame from the server. A response has the `ref` of the client's frame that it answers. */
export type ServerFrame<E extends ServerEvent = ServerEvent> = {
  [K in E]: { event: K; data: ServerData<K>; ref?: string };
}[E];
