import { toLastMessage, type LastMessage } from '@thaw/contract/last-message';
import { type Conversation, type ConversationChange } from '@/features/private-chat/conversation';

/**
 * Finds the newest message of a conversation after a change, as the friends list shows it.
 * @param conversation the conversation after the change; undefined if it is not loaded
 * @returns null if no message of the conversation is loaded, so that only the server knows the newest one; undefined if
 *   the change does not affect the newest message
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
