import { type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/** The state of the composer that decides whether ideas are shown. */
export interface IdeasPlace {
  /** The field is empty, and nothing is attached, edited or shown above it. */
  isFree: boolean;
  /** Puts a text into the field and moves the focus there. */
  insert: (text: string) => void;
}

export interface IdeasRowProps extends IdeasPlace {
  messages: readonly ChatMessage[];
}

/** What another feature offers to write. Must be stable between renders. */
export interface ComposerIdeas<P = IdeasRowProps> {
  /** In the composer, while it is free. */
  button: ReactNode;
  /** Over the gap between the messages and the field. */
  renderRow: (place: P) => ReactNode;
}
