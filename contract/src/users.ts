import * as z from 'zod/mini';
import { lastMessageSchema } from './last-message.js';
import { genderSchema, idSchema, timestampSchema } from './scalars.js';

/** What a person sees of himself (A10). */
export const selfUserSchema = z.object({
  id: idSchema,
  username: z.string(),
  avatar: z.nullable(z.string()),
  email: z.nullable(z.string()),
  gender: z.nullable(genderSchema),
  isAnonymous: z.boolean(),
  isOnline: z.boolean(),
  createdAt: timestampSchema,
});
export type SelfUser = z.infer<typeof selfUserSchema>;

/** What others may see of a person, where they may see him at all (A12). */
export const publicUserSchema = z.object({
  id: idSchema,
  username: z.string(),
  avatar: z.nullable(z.string()),
  isOnline: z.boolean(),
});
export type PublicUser = z.infer<typeof publicUserSchema>;

/** A profile without presence, as it stands in friend events. */
export const profileSchema = z.object({
  id: idSchema,
  username: z.string(),
  avatar: z.nullable(z.string()),
});
export type Profile = z.infer<typeof profileSchema>;

/** An entry of the friends list. A server of an earlier release sends no `lastMessage`. */
export const friendSchema = z.extend(publicUserSchema, {
  lastMessage: z._default(z.nullable(lastMessageSchema), null),
});
export type Friend = z.infer<typeof friendSchema>;
