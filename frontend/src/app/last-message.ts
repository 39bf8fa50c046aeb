import { toLastMessage, type LastMessage } from '@thaw/contract/last-message';
import { type Conversation, type ConversationChange } from '@/features/private-chat/conversation';

/**
 * Returns the newest message of a conversation after a change, for the friends list: null when the conversation is not
 * loaded, so that only the server knows the message; undefined when the change does not affect it.
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
      const newest = conversation?.messages.at(-1);
      if (!newest) return null;
      return newest.id === change.messageId ? toLastMessage(newest) : undefined;
    }
    case 'reacted':
      return undefined;
  }
};
