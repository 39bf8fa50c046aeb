import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { fetchUnreadCounts, unreadCountsKey } from '@/features/private-chat/api/private-messages';
import { clearUnread, readUnread, writeUnread, type UnreadCounts } from '@/features/private-chat/unread';
import { pageLimits } from '@/lib/page-limits';
import { usePageVisible } from '@/lib/page-visible';

const none: UnreadCounts = {};

/**
 * Unread messages by friend. Polls the server every 30 s; pushed changes update the counts in between, in every tab.
 * The first render uses the stored counts. A chat that is open and visible counts as read (A131).
 */
export const useUnreadCounts = (userId: number, openFriendId?: number): UnreadCounts => {
  const isVisible = usePageVisible();
  const { data } = useQuery({
    queryKey: unreadCountsKey(userId),
    queryFn: () => fetchUnreadCounts(userId),
    initialData: () => readUnread(userId),
    refetchOnMount: 'always',
    refetchInterval: pageLimits.unreadPollMs,
    // The tab's title shows the number, too.
    refetchIntervalInBackground: true,
  });

  useEffect(() => {
    if (data) writeUnread(userId, data);
  }, [userId, data]);
  const counts = data ?? none;
  return useMemo(
    () => (openFriendId !== undefined && isVisible ? clearUnread(counts, openFriendId) : counts),
    [counts, openFriendId, isVisible],
  );
};
