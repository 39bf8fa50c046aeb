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

/**
 * Marks the friend's messages as read when the chat is opened, and while it is open in a visible tab.
 * @returns the number of unread messages when the chat last became visible.
 */
export const useMarkAsRead = (userId: number, friendId: number): number => {
  const isVisible = usePageVisible();
  const { data: unread = 0, dataUpdatedAt } = useQuery({
    queryKey: unreadCountsKey(userId),
    queryFn: () => fetchUnreadCounts(userId),
    select: (counts: UnreadCounts) => counts[friendId] ?? 0,
  });
  const [previousIsVisible, setPreviousIsVisible] = useState(false);
  const [unreadWhenShown, setUnreadWhenShown] = useState(0);
  if (isVisible !== previousIsVisible) {
    setPreviousIsVisible(isVisible);
    setUnreadWhenShown(isVisible ? unread : 0);
  }

  /** Whether the messages were marked once: opening the chat marks them even if the count is 0. */
  const isMarkedOnce = useRef(false);
  const [readMarker] = useState(
    () =>
      new ReadMarker(
        () => markMessagesRead(friendId, userId),
        (error) => console.warn('Could not mark the messages read', error),
      ),
  );
  useEffect(() => {
    if (!isVisible || (isMarkedOnce.current && unread === 0)) return;
    isMarkedOnce.current = true;
    privateChats.clearUnread(friendId);
    readMarker.requestCall();
    // `dataUpdatedAt` also runs this when `unread` is unchanged: a message may arrive before the zero was rendered.
  }, [isVisible, friendId, unread, dataUpdatedAt, readMarker]);
  return unreadWhenShown;
};
