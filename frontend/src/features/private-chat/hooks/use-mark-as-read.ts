import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  fetchUnreadCounts,
  markMessagesRead,
  unreadCountsKey,
} from '@/features/private-chat/api/private-messages';
import { ReadMarker } from '@/features/private-chat/hooks/read-marker';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { usePageVisible } from '@/lib/page-visible';

/** @returns `unread` as it was when the chat was opened or its tab last became visible; 0 while the tab is hidden */
const useUnreadCountWhenShown = (isVisible: boolean, unread: number): number => {
  // False at first: opening the chat in a visible tab counts as becoming visible.
  const [previousIsVisible, setPreviousIsVisible] = useState(false);
  const [unreadCountWhenShown, setUnreadCountWhenShown] = useState(0);
  if (isVisible !== previousIsVisible) {
    setPreviousIsVisible(isVisible);
    setUnreadCountWhenShown(isVisible ? unread : 0);
  }
  return unreadCountWhenShown;
};

/**
 * Marks the friend's messages as read when the chat is opened, and while it is open in a visible tab. The friend must
 * not change: the chat is mounted separately for each friend.
 * @returns the number of unread messages when the chat was opened, or when its tab last became visible; 0 while the tab
 * is hidden
 */
export const useMarkAsRead = (userId: number, friendId: number): number => {
  const isVisible = usePageVisible();
  const { data: unread = 0, dataUpdatedAt } = useQuery({
    queryKey: unreadCountsKey(userId),
    queryFn: () => fetchUnreadCounts(userId),
    select: (counts: UnreadCounts) => counts[friendId] ?? 0,
  });
  const unreadCountWhenShown = useUnreadCountWhenShown(isVisible, unread);

  /**
   * Opening the chat marks the messages even if `unread` is 0, because the counts may not be loaded yet. Afterwards
   * only unread messages are marked.
   */
  const isMarkedOnce = useRef(false);
  // Makes one call at a time. Messages that arrive during a call are marked by one more call after it.
  const [readMarker] = useState(
    () =>
      new ReadMarker(
        () => markMessagesRead(userId, friendId),
        (error) => console.warn('Could not mark the messages read', error),
      ),
  );
  useEffect(() => {
    const isNothingToMark = isMarkedOnce.current && unread === 0;
    if (!isVisible || isNothingToMark) return;
    isMarkedOnce.current = true;
    privateChats.clearUnreadCount(friendId);
    readMarker.mark();
    // `unread` may go from 1 to 0 and back to 1 before it is rendered, if a message arrives after the count is
    // cleared. So the effect also depends on `dataUpdatedAt`, which changes then, too.
  }, [isVisible, friendId, unread, dataUpdatedAt, readMarker]);
  return unreadCountWhenShown;
};
