import { useCallback, useEffect, useState, type RefObject } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type ConversationHandle } from '@/chat-ui/message-list/use-jump';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';

/** How many pages one jump loads at most: a quote of a very old message must not load the whole conversation. */
const maxPages = 20;

/**
 * Returns a function that jumps to a quoted message that is not loaded yet: it loads older pages, up to `maxPages`,
 * until the message with the given id is loaded, and scrolls to it.
 */
export const useJumpToMessage = (
  friendId: number,
  rows: ChatMessage[],
  loadOlder: () => Promise<boolean>,
  list: RefObject<ConversationHandle | null>,
): ((messageId: string) => void) => {
  const [targetId, setTargetId] = useState<string | null>(null);
  // The row can be scrolled to only after the render that contains it.
  const isTargetLoaded = targetId !== null && rows.some(({ id }) => id === targetId);
  useEffect(() => {
    if (isTargetLoaded) list.current?.jumpTo(targetId);
  }, [isTargetLoaded, list, targetId]);

  return useCallback(
    (messageId: string) => {
      void (async () => {
        const isLoaded = (): boolean => privateChats.isLoaded(friendId, Number(messageId));
        for (let page = 0; page < maxPages && !isLoaded(); page += 1) {
          if (!(await loadOlder())) return;
        }
        if (isLoaded()) setTargetId(messageId);
      })();
    },
    [friendId, loadOlder],
  );
};
