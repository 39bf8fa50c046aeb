import { limits } from '@thaw/contract/limits';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { fetchUnread, markRead, unreadKey } from '@/features/private-chat/api/private-messages';
import { privateChat } from '@/features/private-chat/private-chat.store';
import { noneOf, readUnread, writeUnread, type UnreadCounts } from '@/features/private-chat/unread';
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
    refetchInterval: limits.unreadPollMs,
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

/** Tells the server what was read, one call at a time; what comes during one is told by the next. */
export class Reading {
  private isCalling = false;
  private isMore = false;

  constructor(
    private readonly tell: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  read(): void {
    if (this.isCalling) {
      this.isMore = true;
      return;
    }
    this.isCalling = true;
    this.tell()
      .catch(this.failed)
      .finally(() => {
        this.isCalling = false;
        if (!this.isMore) return;
        this.isMore = false;
        this.read();
      });
  }
}

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
