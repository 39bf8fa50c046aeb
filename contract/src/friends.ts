import * as z from 'zod/mini';
import { idSchema, timestampSchema } from './scalars.js';
import { profileSchema, publicUserSchema } from './users.js';

export const friendRequestStatusSchema = z.enum(['pending', 'accepted', 'declined']);
export type FriendRequestStatus = z.infer<typeof friendRequestStatusSchema>;

export const friendRequestSchema = z.object({
  id: idSchema,
  requesterId: idSchema,
  addresseeId: idSchema,
  status: friendRequestStatusSchema,
  createdAt: timestampSchema,
});
export type FriendRequest = z.infer<typeof friendRequestSchema>;

/** Body of POST /api/friends/request. `requesterId` must be the id of the signed-in user. */
export const sendFriendRequestSchema = z.object({ requesterId: idSchema, addresseeId: idSchema });
export type SendFriendRequest = z.infer<typeof sendFriendRequestSchema>;

/** Body of PUT /api/friends/request/{requestId}. */
export const answerFriendRequestSchema = z.object({ status: z.enum(['accepted', 'declined']) });
export type AnswerFriendRequest = z.infer<typeof answerFriendRequestSchema>;

// Data of the frames `friend_request`, `friendship_accepted`, `friendship_removed`, `presence` and `profile_updated`.

/** `id`: that of the request. */
export const friendRequestReceivedSchema = z.object({
  id: idSchema,
  requesterId: idSchema,
  requester: profileSchema,
  createdAt: timestampSchema,
});
export const friendshipAcceptedSchema = z.object({ requestId: idSchema, friend: publicUserSchema });
export const friendshipRemovedSchema = z.object({ removedFriendId: idSchema, removedBy: idSchema });
/** About a friend. */
export const presenceSchema = z.object({ userId: idSchema, isOnline: z.boolean() });
/** The new profile of a friend, or of the user. */
export const profileUpdatedSchema = z.object({ user: profileSchema });
