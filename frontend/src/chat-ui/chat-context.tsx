import { createContext, use } from 'react';
import { type MessageAuthor } from '@/chat-ui/message/message-row';
import { type Capabilities } from '@/chat-ui/message/available-actions';
import { type Outbox } from '@/chat-ui/outbox/outbox';

/** Operations on the messages of a random or private chat. The functions must be stable between renders. */
export interface ChatCommands {
  /** @returns whether the edit was sent: false while not connected, in which case the edit stays open */
  edit: (messageId: string, newContent: string) => boolean;
  /** @returns whether the reaction was sent: false while not connected */
  react: (messageId: string, emoji: string) => boolean;
  /** Absent in the random chat, whose messages cannot be deleted. */
  delete?: (messageId: string) => void;
  report?: (messageId: string) => void;
  /** Called at each change of the text; the implementation limits how often the partner is notified. */
  notifyTyping: () => void;
  /**
   * Loads older pages until a quoted message is loaded, and scrolls to it. Absent in the random chat, where all
   * messages are loaded.
   */
  loadAndJumpTo?: (messageId: string) => void;
}

/** The chat on the screen: a random chat with a stranger, or a private chat with a friend. */
export interface Chat {
  /** Id of the session of a random chat, or of the friend in a private chat. */
  conversationId: string;
  me: MessageAuthor;
  partner: MessageAuthor;
  capabilities: Capabilities;
  /**
   * True in the random chat. The partner's pictures, insults and contact details are hidden until the user presses
   * them, and the user is warned before they send their own contact details.
   */
  isWithStranger: boolean;
  /** The emojis that the composer offers; the private chat offers more than the random chat. */
  pickerEmojis: readonly string[];
  outbox: Outbox;
  commands: ChatCommands;
}

export const ChatContext = createContext<Chat | null>(null);

/** @throws Error outside of a `ChatContext` */
export const useChat = (): Chat => {
  const chat = use(ChatContext);
  if (!chat) throw new Error('Rendered outside of a chat');
  return chat;
};
