import { createContext, use } from 'react';
import { type MessageAuthor } from '@/chat-ui/message-row';
import { type Capabilities } from '@/chat-ui/offer';
import { type Outbox } from '@/chat-ui/outbox/outbox';

/** What both kinds of chat do with messages; the functions are the same at every render. */
export interface ChatCommands {
  /** False when it was not taken for want of a connection: then the edit stays open. */
  edit: (messageId: string, newContent: string) => boolean;
  /** False while not connected. */
  react: (messageId: string, emoji: string) => boolean;
  delete?: (messageId: string) => void;
  /** The person typed something. */
  type: () => void;
  /** A quote was followed whose message is not loaded: older ones may be loaded in search of it. */
  seek?: (messageId: string) => void;
}

/** The chat on the screen: who talks, what is possible, and where messages go. */
export interface Chat {
  /** A session's id, or a friend's. */
  conversationId: string;
  me: MessageAuthor;
  partner: MessageAuthor;
  capabilities: Capabilities;
  /** The partner's pictures: blurred until clicked (B07), or shown as a friend's are. */
  partnerImages: 'hidden' | 'shown';
  /** Sixteen in the random chat, twenty-four in the private one. */
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
