import { useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { findFirstUnreadId } from '@/features/private-chat/conversation';

/**
 * Returns the id of the message below the unread divider. It is determined when the chat becomes visible and does not
 * move when more messages arrive.
 * @param unreadCountWhenShown number of unread messages when the chat last became visible; 0 while it is hidden
 */
export const useUnreadDivider = (
  rows: ChatMessage[],
  friendId: number,
  unreadCountWhenShown: number,
): string | undefined => {
  const [divider, setDivider] = useState<{ unreadCountWhenShown: number; id: string | undefined }>({
    unreadCountWhenShown: 0,
    id: undefined,
  });
  if (divider.unreadCountWhenShown !== unreadCountWhenShown) {
    // 0 means that the chat is hidden, or was shown without unread messages. The divider then stays.
    setDivider({
      unreadCountWhenShown,
      id: unreadCountWhenShown > 0 ? findFirstUnreadId(rows, friendId, unreadCountWhenShown) : divider.id,
    });
  }
  return divider.id;
};
