import { useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { firstUnreadId } from '@/features/private-chat/conversation';

/** Where the unread begins stays where it was when the chat came into sight, whatever is written then. */
export const useUnreadDivider = (
  rows: ChatMessage[],
  friendId: number,
  waited: number,
): string | undefined => {
  const [marked, setMarked] = useState<{ waited: number; id: string | undefined }>({
    waited: 0,
    id: undefined,
  });
  if (marked.waited !== waited) {
    // None waited: a new look at an old divider leaves it.
    setMarked({ waited, id: waited > 0 ? firstUnreadId(rows, friendId, waited) : marked.id });
  }
  return marked.id;
};
