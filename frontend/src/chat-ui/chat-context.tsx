import { createContext, use } from 'react';
import { type MessageAuthor } from '@/chat-ui/message/message-row';
import { type Capabilities } from '@/chat-ui/message/available-actions';
import { type Outbox } from '@/chat-ui/outbox/outbox';

/** Message operations of both kinds of chat. The functions must be stable between renders. */
export interface ChatCommands {
  /** Returns false when there is no connection; the edit then stays open. */
  edit: (messageId: string, newContent: string) => boolean;
  /** Returns false while not connected. */
  react: (messageId: string, emoji: string) => boolean;
  delete?: (messageId: string) => void;
  report?: (messageId: string) => void;
  /** Called at each change of the text; the implementation limits how often the partner is notified. */
  notifyTyping: () => void;
  /** Loads older pages until a quoted message is loaded, and scrolls to it. Absent where everything is loaded. */
  loadAndJumpTo?: (messageId: string) => void;
}

/** The chat on the screen: its users, its capabilities, and its outbox and commands. */
export interface Chat {
  /** Id of a chat session, or of a friend. */
  conversationId: string;
  me: MessageAuthor;
  partner: MessageAuthor;
  capabilities: Capabilities;
  /**
   * Hides the partner's pictures (B07) and contact details until they are pressed, and warns before sharing own ones.
   */
  isWithStranger: boolean;
  /** 16 in the random chat, 24 in the private one. */
  pickerEmojis: readonly string[];
  outbox: Outbox;
  commands: ChatCommands;
}

export const ChatContext = createContext<Chat | null>(null);

export const useChat = (): Chat => {
  const chat = use(ChatContext);
  if (!chat) throw new Error('Rendered outside of a chat');
  return chat;
};
