import { toLastMessage, type LastMessage } from '@thaw/contract/last-message';
import { type Conversation, type ConversationChange } from '@/features/private-chat/conversation';

/**
 * The newest message of a conversation after a change, for the friends list. Null when only the server knows it, since
 * the conversation is not loaded; undefined when the change leaves it as it is.
 */
export const lastMessageAfter = (
  made: ConversationChange,
  conversation: Conversation | undefined,
): LastMessage | null | undefined => {
  switch (made.type) {
    case 'sent':
      return toLastMessage(made.message);
    case 'edited':
    case 'deleted': {
      const newest = conversation?.messages.at(-1);
      if (!newest) return null;
      return newest.id === made.messageId ? toLastMessage(newest) : undefined;
    }
    case 'reacted':
      return undefined;
  }
};
