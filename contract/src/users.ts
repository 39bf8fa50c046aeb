import * as z from 'zod/mini';
import { lastMessageSchema } from './last-message.js';
import { goodStanding, standingSchema } from './standing.js';
import { genderSchema, idSchema, timestampSchema } from './scalars.js';

/**
 * A user with the fields that are sent to that user alone. `standing` says whether the user may use the product. It and
 * `isModerator` have defaults: servers of an earlier release do not send them.
 */
export const selfUserSchema = z.object({
  id: idSchema,
  username: z.string(),
  avatar: z.nullable(z.string()),
  email: z.nullable(z.string()),
  gender: z.nullable(genderSchema),
  isAnonymous: z.boolean(),
  isOnline: z.boolean(),
  createdAt: timestampSchema,
  isModerator: z._default(z.boolean(), false),
  standing: z._default(standingSchema, goodStanding),
});
export type SelfUser = z.infer<typeof selfUserSchema>;

/** A user as shown to others who may see their profile (docs/product-decisions.md, A12). */
export const publicUserSchema = z.object({
  id: idSchema,
  username: z.string(),
  avatar: z.nullable(z.string()),
  isOnline: z.boolean(),
});
export type PublicUser = z.infer<typeof publicUserSchema>;

/** A profile without presence, as sent in friend events. */
export const profileSchema = z.object({
  id: idSchema,
  username: z.string(),
  avatar: z.nullable(z.string()),
});
export type Profile = z.infer<typeof profileSchema>;

/** An entry of the friends list. `lastMessage` defaults to null: servers of an earlier release do not send it. */
export const friendSchema = z.extend(publicUserSchema, {
  lastMessage: z._default(z.nullable(lastMessageSchema), null),
});
export type Friend = z.infer<typeof friendSchema>;
