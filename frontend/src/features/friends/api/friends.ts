import { friendRequestSchema, type FriendRequest } from '@thaw/contract/friends';
import { friendSchema } from '@thaw/contract/users';
import { queryOptions, useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { request } from '@/lib/api-client';
import { pageLimits } from '@/lib/page-limits';

export const friendsKey = (userId: number) => [`/api/friends/${userId}`] as const;
export const friendRequestsKey = (userId: number) => [`/api/friends/requests/${userId}`] as const;

export const friendsQuery = (userId: number) =>
  queryOptions({
    queryKey: friendsKey(userId),
    queryFn: async ({ queryKey: [url] }) => z.array(friendSchema).parse(await request('GET', url)),
    staleTime: pageLimits.friendsCacheMs,
    // Pushed events keep the list up to date, so a mount refetches it only after something has invalidated it.
    refetchOnMount: ({ state }) => state.isInvalidated,
  });

export const friendRequestsQuery = (userId: number) =>
  queryOptions({
    queryKey: friendRequestsKey(userId),
    queryFn: async ({ queryKey: [url] }) => z.array(friendRequestSchema).parse(await request('GET', url)),
    staleTime: pageLimits.friendRequestsCacheMs,
  });

export const useFriends = (userId: number) => useQuery(friendsQuery(userId));

export const useFriendRequests = (userId: number) => useQuery(friendRequestsQuery(userId));

/** Sends a friend request. The server accepts it at once if the addressee has already sent one to the requester. */
export const sendFriendRequest = async (requesterId: number, addresseeId: number): Promise<FriendRequest> =>
  friendRequestSchema.parse(await request('POST', '/api/friends/request', { requesterId, addresseeId }));

export const answerFriendRequest = async (
  requestId: number,
  status: 'accepted' | 'declined',
): Promise<FriendRequest> =>
  friendRequestSchema.parse(await request('PUT', `/api/friends/request/${requestId}`, { status }));

export const removeFriend = (userId: number, friendId: number): Promise<unknown> =>
  request('DELETE', `/api/friends/${userId}/${friendId}`);
