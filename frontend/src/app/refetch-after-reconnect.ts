import { type QueryClient } from '@tanstack/react-query';
import { friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { conversationsOf, unreadKey } from '@/features/private-chat/api/private-messages';

/** The requests of one browser start within this time, so that those of all do not start together. */
export const refetchWithinMs = 500;

/**
 * Reads again what may have been pushed while the connection was lost: friends, friend requests, unread counts and the
 * open conversation. Closed conversations are read when they are opened. The server resumes the random chat itself.
 */
export const refetchAfterReconnect = (queries: QueryClient, userId: number): void => {
  for (const queryKey of [friendsKey(userId), friendRequestsKey(userId), unreadKey(userId)])
    void queries.invalidateQueries({ queryKey });
  void queries.invalidateQueries({ predicate: ({ queryKey }) => conversationsOf(userId, queryKey) });
};
