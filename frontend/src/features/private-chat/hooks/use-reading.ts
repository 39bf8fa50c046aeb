import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { fetchUnread, markRead, unreadKey } from '@/features/private-chat/api/private-messages';
import { Reading } from '@/features/private-chat/hooks/reading';
import { privateChat } from '@/features/private-chat/stores/private-chat.store';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { usePageVisible } from '@/lib/page-visible';

/**
 * Marks the friend's messages as read when the chat is opened, and while it is open in a visible tab.
 * @returns the number of unread messages when the chat last became visible.
 */
export const useReading = (userId: number, friendId: number): number => {
  const isVisible = usePageVisible();
  const { data: unread = 0, dataUpdatedAt } = useQuery({
    queryKey: unreadKey(userId),
    queryFn: () => fetchUnread(userId),
    select: (counts: UnreadCounts) => counts[friendId] ?? 0,
  });
  const [wasVisible, setWasVisible] = useState(false);
  const [waited, setWaited] = useState(0);
  if (isVisible !== wasVisible) {
    setWasVisible(isVisible);
    setWaited(isVisible ? unread : 0);
  }

  const isOpened = useRef(false);
  const [reading] = useState(
    () =>
      new Reading(
        () => markRead(friendId, userId),
        (error) => console.warn('Could not mark the messages read', error),
      ),
  );
  useEffect(() => {
    if (!isVisible || (isOpened.current && unread === 0)) return;
    isOpened.current = true;
    privateChat.noneUnread(friendId);
    reading.read();
    // `dataUpdatedAt` also runs this when `unread` is unchanged: a message may arrive before the zero was rendered.
  }, [isVisible, friendId, unread, dataUpdatedAt, reading]);
  return waited;
};
