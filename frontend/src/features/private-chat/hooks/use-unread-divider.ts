import { useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { findFirstUnreadId } from '@/features/private-chat/conversation';

/**
 * Returns the id of the message below the unread divider. It is determined when the chat becomes visible and does not
 * move when more messages arrive.
 */
export const useUnreadDivider = (
  rows: ChatMessage[],
  friendId: number,
  unreadWhenShown: number,
): string | undefined => {
  const [divider, setDivider] = useState<{ unreadWhenShown: number; id: string | undefined }>({
    unreadWhenShown: 0,
    id: undefined,
  });
  if (divider.unreadWhenShown !== unreadWhenShown) {
    // Without new unread messages, an existing divider stays.
    setDivider({
      unreadWhenShown,
      id: unreadWhenShown > 0 ? findFirstUnreadId(rows, friendId, unreadWhenShown) : divider.id,
    });
  }
  return divider.id;
};
