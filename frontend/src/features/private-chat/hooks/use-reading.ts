import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { fetchUnread, markRead, unreadKey } from '@/features/private-chat/api/private-messages';
import { Reading } from '@/features/private-chat/hooks/reading';
import { privateChat } from '@/features/private-chat/stores/private-chat.store';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { usePageVisible } from '@/lib/page-visible';

/**
 * What the friend writes is read when the chat is opened, and as long as it lies open in a tab that is seen.
 * @returns how many waited when the chat came into sight last.
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
    // One more may come before none was ever drawn: whatever is new is looked at again.
  }, [isVisible, friendId, unread, dataUpdatedAt, reading]);
  return waited;
};
