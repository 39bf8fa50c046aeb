import { toLastMessage, type LastMessage } from '@thaw/contract/last-message';
import { type Conversation, type ConversationChange } from '@/features/private-chat/conversation';

/**
 * Returns the newest message of a conversation after a change, as the friends list shows it.
 * @param conversation the conversation after the change; undefined if it is not loaded
 * @returns undefined if the change does not affect the newest message; null if the newest one is unknown, because no
 *   message is loaded
 */
export const getLastMessageAfter = (
  change: ConversationChange,
  conversation: Conversation | undefined,
): LastMessage | null | undefined => {
  switch (change.type) {
    case 'sent':
      return toLastMessage(change.message);
    case 'edited':
    case 'deleted': {
      // A deleted message stays in `messages`, without its content.
      const newest = conversation?.messages.at(-1);
      if (!newest) return null;
      return newest.id === change.messageId ? toLastMessage(newest) : undefined;
    }
    case 'reacted':
      return undefined;
  }
};
