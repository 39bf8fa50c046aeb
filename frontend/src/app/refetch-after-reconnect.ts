import { type QueryClient } from '@tanstack/react-query';
import { friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { isConversationKeyOfUser, unreadCountsKey } from '@/features/private-chat/api/private-messages';
import { blocksKey } from '@/features/safety/api/blocks';
import { noticesKey } from '@/features/standing/api/notices-cache';

/**
 * Refetches what may have been pushed while the connection was lost: friends, friend requests, unread counts, blocked
 * users, notices and the open conversation. Closed conversations are fetched when they are opened. The server resumes
 * the random chat itself.
 */
export const refetchAfterReconnect = (queryClient: QueryClient, userId: number): void => {
  for (const queryKey of [
    friendsKey(userId),
    friendRequestsKey(userId),
    unreadCountsKey(userId),
    blocksKey(userId),
    noticesKey(userId),
  ])
    void queryClient.invalidateQueries({ queryKey });
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => isConversationKeyOfUser(userId, queryKey),
  });
};
