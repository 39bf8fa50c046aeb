import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { conversationKey } from '@/features/private-chat/api/private-messages';
import { RowCache } from '@/features/private-chat/rows';
import { messageChanges } from '@/features/private-chat/stores/message-changes';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { ApiError } from '@/lib/api-client';

export interface LoadedConversation {
  /** Undefined until loaded. */
  rows: ChatMessage[] | undefined;
  hasOlder: boolean;
  isLoadingOlder: boolean;
  hasFailed: boolean;
  retry: () => void;
  /** Resolves to false when there is nothing older or the request fails. */
  loadOlder: () => Promise<boolean>;
}

/** The stored messages of a private chat, with the user's unconfirmed changes. */
export const useConversation = (userId: number, friendId: number): LoadedConversation => {
  const { data, error, isError, refetch } = useQuery({
    queryKey: conversationKey(userId, friendId),
    queryFn: () => privateChats.conversations.read(userId, friendId),
    // Kept while the page is open: events keep it current, so that reopening the chat shows it at once.
    gcTime: Infinity,
  });
  const pending = messageChanges.useStore();
  const [rowCache] = useState(() => new RowCache());
  const rows = useMemo(() => data && rowCache.toRows(data.messages, pending), [data, pending, rowCache]);

  const isNoFriend = error instanceof ApiError && error.status === 403;
  useEffect(() => {
    if (isNoFriend) privateChats.handleNotFriends(friendId);
  }, [isNoFriend, friendId]);

  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const loading = useRef<Promise<boolean>>(undefined);
  const loadOlder = useCallback((): Promise<boolean> => {
    // Loads one page at a time, however often the top is reached.
    loading.current ??= (async () => {
      setLoadingOlder(true);
      try {
        return await privateChats.conversations.readOlder(userId, friendId);
      } catch (cause) {
        console.warn('Could not load older messages', cause);
        return false;
      } finally {
        loading.current = undefined;
        setLoadingOlder(false);
      }
    })();
    return loading.current;
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
