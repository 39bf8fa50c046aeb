import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { fetchUnreadCounts, unreadCountsKey } from '@/features/private-chat/api/private-messages';
import { clearUnread, readUnread, writeUnread, type UnreadCounts } from '@/features/private-chat/unread';
import { pageLimits } from '@/lib/page-limits';
import { usePageVisible } from '@/lib/page-visible';

const noCounts: UnreadCounts = {};

/**
 * The numbers of unread messages by friend. Polls the server every 30 s; in between, `privateChats` applies pushed
 * changes to the same query, in every tab. The first render uses the counts stored by an earlier visit.
 * @param openFriendId  the friend whose chat is open; while the tab is visible, their messages count as read, because
 * `useMarkAsRead` marks them
 */
export const useUnreadCounts = (userId: number, openFriendId?: number): UnreadCounts => {
  const isVisible = usePageVisible();
  const { data } = useQuery({
    queryKey: unreadCountsKey(userId),
    queryFn: () => fetchUnreadCounts(userId),
    initialData: () => readUnread(userId),
    // The stored counts may be old.
    refetchOnMount: 'always',
    refetchInterval: pageLimits.unreadPollMs,
    // The title of a hidden tab shows the number.
    refetchIntervalInBackground: true,
  });

  useEffect(() => {
    if (data) writeUnread(userId, data);
  }, [userId, data]);
  const counts = data ?? noCounts;
  return useMemo(
    () => (openFriendId !== undefined && isVisible ? clearUnread(counts, openFriendId) : counts),
    [counts, openFriendId, isVisible],
  );
};
