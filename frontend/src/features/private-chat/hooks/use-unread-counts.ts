import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { fetchUnread, unreadKey } from '@/features/private-chat/api/private-messages';
import { noneOf, readUnread, writeUnread, type UnreadCounts } from '@/features/private-chat/unread';
import { pageLimits } from '@/lib/page-limits';
import { usePageVisible } from '@/lib/page-visible';

const none: UnreadCounts = {};

/**
 * How many messages of each friend wait to be read. The server's map, asked for every 30 s; changed meanwhile by what is
 * pushed, to every tab alike; at first what was kept of the last time. What lies open in sight counts as read (A131).
 */
export const useUnreadCounts = (userId: number, openFriendId?: number): UnreadCounts => {
  const isVisible = usePageVisible();
  const { data } = useQuery({
    queryKey: unreadKey(userId),
    queryFn: () => fetchUnread(userId),
    initialData: () => readUnread(userId),
    refetchOnMount: 'always',
    refetchInterval: pageLimits.unreadPollMs,
    // The number stands in the tab's title, too.
    refetchIntervalInBackground: true,
  });

  useEffect(() => {
    if (data) writeUnread(userId, data);
  }, [userId, data]);
  const counts = data ?? none;
  return useMemo(
    () => (openFriendId !== undefined && isVisible ? noneOf(counts, openFriendId) : counts),
    [counts, openFriendId, isVisible],
  );
};
