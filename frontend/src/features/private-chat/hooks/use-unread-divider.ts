import { useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { findFirstUnreadId } from '@/features/private-chat/conversation';

/** Id of the message below the divider. Fixed when the chat becomes visible, whatever arrives afterwards. */
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
    // Without new unread messages, an existing divider stays.
    setMarked({ waited, id: waited > 0 ? findFirstUnreadId(rows, friendId, waited) : marked.id });
  }
  return marked.id;
};
