import * as z from 'zod/mini';
import { clientIdSchema, idSchema, messageTypeSchema, timestampSchema } from './scalars.js';

export const privateReactionSchema = z.object({ emoji: z.string(), userId: idSchema });
export type PrivateReaction = z.infer<typeof privateReactionSchema>;

/** The message to which another message replies. */
export const quotedPrivateMessageSchema = z.object({
  id: idSchema,
  content: z.string(),
  senderId: idSchema,
  senderName: z.string(),
});

export const privateMessageSchema = z.object({
  id: idSchema,
  senderId: idSchema,
  receiverId: idSchema,
  content: z.string(),
  type: messageTypeSchema,
  createdAt: timestampSchema,
  isEdited: z.boolean(),
  isDeleted: z.boolean(),
  reactions: z.array(privateReactionSchema),
  metadata: z.object({ replyTo: z.nullable(quotedPrivateMessageSchema) }),
});
export type PrivateMessage = z.infer<typeof privateMessageSchema>;

// Data of frames from clients. The server refuses a frame whose `senderId` or `userId` is not the signed-in user.

export const sendPrivateMessageSchema = z.object({
  senderId: idSchema,
  receiverId: idSchema,
  content: z.string(),
  messageType: messageTypeSchema,
  replyTo: z.nullish(z.object({ id: idSchema })),
  clientId: z.optional(clientIdSchema),
});
export const editPrivateMessageSchema = z.object({
  messageId: idSchema,
  newContent: z.string(),
  senderId: idSchema,
  receiverId: idSchema,
});
/** Adds a reaction, or removes it if the user has already reacted with this emoji. */
export const reactPrivateMessageSchema = z.object({
  messageId: idSchema,
  emoji: z.string(),
  userId: idSchema,
  /** The other user of the chat, who receives the reaction; not always the receiver of the message. */
  receiverId: idSchema,
});
export const deletePrivateMessageSchema = z.object({
  messageId: idSchema,
  senderId: idSchema,
  receiverId: idSchema,
});

// Data of frames to clients.

/** `clientId` lets the sender's page recognise its own message. */
export const privateMessageReceivedSchema = z.extend(privateMessageSchema, {
  clientId: z.optional(clientIdSchema),
});
export const privateMessageEditedSchema = editPrivateMessageSchema;
/** A reaction was added to a message, or removed from it. */
export const privateMessageReactionSchema = z.object({
  messageId: idSchema,
  emoji: z.string(),
  /** The user who added or removed the reaction. */
  userId: idSchema,
  /** The sender of the message. */
  senderId: idSchema,
  /** The receiver of the message. */
  receiverId: idSchema,
  /** All reactions that the message has now. */
  reactions: z.array(privateReactionSchema),
});
export const privateMessageDeletedSchema = deletePrivateMessageSchema;
/** Frame to the sockets of a user who has read all messages from `friendId`. */
export const privateMessagesReadSchema = z.object({ friendId: idSchema });
