import * as z from 'zod/mini';
import { idSchema, timestampSchema } from './scalars.js';

/** Body of POST /api/blocks. */
export const blockUserSchema = z.object({ blockerId: idSchema, blockedId: idSchema });
export type BlockUser = z.infer<typeof blockUserSchema>;

/** Response body of POST /api/blocks. */
export const blockSchema = z.object({ blockedId: idSchema, createdAt: timestampSchema });
export type Block = z.infer<typeof blockSchema>;

/** One entry of the array that GET /api/blocks/{userId} returns, newest first. */
export const blockedUserSchema = z.extend(blockSchema, {
  username: z.string(),
  avatar: z.nullable(z.string()),
});
export type BlockedUser = z.infer<typeof blockedUserSchema>;

/** Frame to all sockets of a user who has blocked or unblocked another. */
export const blockChangedSchema = z.object({ userId: idSchema, isBlocked: z.boolean() });
