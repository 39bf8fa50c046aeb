import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { conversationKey } from '@/features/private-chat/api/private-messages';
import { RowCache } from '@/features/private-chat/rows';
import { messageChanges } from '@/features/private-chat/stores/message-changes';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { ApiError } from '@/lib/api-client';

export interface LoadedConversation {
  /** The messages, oldest first; undefined until loaded. */
  rows: ChatMessage[] | undefined;
  /** The server has messages before the first one in `rows`. */
  hasOlder: boolean;
  isLoadingOlder: boolean;
  /** The first load has failed. A failed refetch keeps the loaded messages. */
  hasFailed: boolean;
  retry: () => void;
  /** Resolves to false when there is nothing older or the request fails. */
  loadOlder: () => Promise<boolean>;
}

/** The loaded messages of a private chat, with the user's unconfirmed changes. */
export const useConversation = (userId: number, friendId: number): LoadedConversation => {
  const { data, error, isError, refetch } = useQuery({
    queryKey: conversationKey(userId, friendId),
    queryFn: () => privateChats.conversations.read(userId, friendId),
    // Cached while the page is open: pushed changes keep the messages current, and a reopened chat shows them at once.
    gcTime: Infinity,
  });
  const pendingChanges = messageChanges.useStore();
  // The cache returns the same row for an unchanged message, so that the row is not rendered again.
  const [rowCache] = useState(() => new RowCache());
  const rows = useMemo(
    () => data && rowCache.toRows(data.messages, pendingChanges),
    [data, pendingChanges, rowCache],
  );

  // The server responds with 403 when the two users are not friends. The page then forgets the friend.
  const isNotFriends = error instanceof ApiError && error.status === 403;
  useEffect(() => {
    if (isNotFriends) privateChats.handleNotFriends(friendId);
  }, [isNotFriends, friendId]);

  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const loadInProgress = useRef<Promise<boolean>>(undefined);
  const loadOlder = useCallback((): Promise<boolean> => {
    const loadPage = async (): Promise<boolean> => {
      setLoadingOlder(true);
      try {
        return await privateChats.conversations.readOlder(userId, friendId);
      } catch (cause) {
        console.warn('Could not load older messages', cause);
        return false;
      } finally {
        loadInProgress.current = undefined;
        setLoadingOlder(false);
      }
    };
    // One page at a time, however often the top is reached. A load in progress is always one of this chat, because the
    // chat with another friend is another component (its `key` is the friend's id).
    loadInProgress.current ??= loadPage();
    return loadInProgress.current;
  }, [userId, friendId]);

  return {
    rows,
    hasOlder: data?.hasOlder ?? false,
    isLoadingOlder,
    hasFailed: isError && !data,
    retry: () => void refetch(),
    loadOlder,
  };
};
