import * as z from 'zod/mini';
import { reactionsSchema } from './random-chat.js';
import { clientIdSchema, randomMessageIdSchema, timestampSchema } from './scalars.js';

// An `ack` is the frame with which the server accepts a command.

/**
 * `data` of the ack to a command that stored an event in a random chat. `seq` is the number of the event in the chat's
 * event stream.
 */
export const storedAckSchema = z.object({ seq: z.int() });
export type StoredAck = z.infer<typeof storedAckSchema>;

/** `data` of the ack to `random_message`. `clientId` is that of the command, if it had one. */
export const randomMessageAckSchema = z.object({
  id: randomMessageIdSchema,
  seq: z.int(),
  timestamp: timestampSchema,
  clientId: z.optional(clientIdSchema),
});
export type RandomMessageAck = z.infer<typeof randomMessageAckSchema>;

/** `data` of the ack to `message_reaction`. If the reaction changed nothing, `seq` is that of the newest event. */
export const reactionAckSchema = z.extend(storedAckSchema, { reactions: reactionsSchema });
export type ReactionAck = z.infer<typeof reactionAckSchema>;
