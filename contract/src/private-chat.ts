import * as z from 'zod/mini';
import { clientIdSchema, idSchema, messageTypeSchema, timestampSchema } from './scalars.js';

export const privateReactionSchema = z.object({ emoji: z.string(), userId: idSchema });
export type PrivateReaction = z.infer<typeof privateReactionSchema>;

/** The message that another replies to. */
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

/** In every frame of a client, the id of the user must be that of the socket's login. */
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
export const reactPrivateMessageSchema = z.object({
  messageId: idSchema,
  emoji: z.string(),
  userId: idSchema,
  receiverId: idSchema,
});
export const deletePrivateMessageSchema = z.object({
  messageId: idSchema,
  senderId: idSchema,
  receiverId: idSchema,
});

/** `clientId` lets the sender's page recognise its own message. */
export const privateMessageReceivedSchema = z.extend(privateMessageSchema, {
  clientId: z.optional(clientIdSchema),
});
export const privateMessageEditedSchema = editPrivateMessageSchema;
export const privateMessageReactionSchema = z.object({
  messageId: idSchema,
  emoji: z.string(),
  userId: idSchema,
  senderId: idSchema,
  receiverId: idSchema,
  reactions: z.array(privateReactionSchema),
});
export const privateMessageDeletedSchema = deletePrivateMessageSchema;
export const privateMessagesReadSchema = z.object({ friendId: idSchema });
