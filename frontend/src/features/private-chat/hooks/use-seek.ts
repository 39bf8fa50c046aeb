import { useCallback, useEffect, useState, type RefObject } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type ConversationHandle } from '@/chat-ui/message-list/message-list';
import { privateChat } from '@/features/private-chat/stores/private-chat.store';

/** Maximum number of pages loaded in search of a quoted message. */
const pagesMax = 20;

/** Loads older pages until the message is loaded, and scrolls to it. */
export const useSeek = (
  friendId: number,
  rows: ChatMessage[],
  loadOlder: () => Promise<boolean>,
  list: RefObject<ConversationHandle | null>,
): ((messageId: string) => void) => {
  const [sought, setSought] = useState<string | null>(null);
  const isFound = sought !== null && rows.some(({ id }) => id === sought);
  useEffect(() => {
    if (isFound) list.current?.jumpTo(sought);
  }, [isFound, list, sought]);

  return useCallback(
    (messageId: string) => {
      void (async () => {
        for (let page = 0; page < pagesMax; page += 1) {
          if (privateChat.knows(friendId, Number(messageId))) return setSought(messageId);
          if (!(await loadOlder())) return;
        }
      })();
    },
    [friendId, loadOlder],
  );
};
