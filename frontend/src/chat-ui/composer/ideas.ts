import { type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/** The state of the composer that decides whether ideas are shown. */
export interface IdeasPlace {
  /** The field is empty, and nothing is attached, edited or shown above it. */
  isFree: boolean;
  /** Puts a text into the field and moves the focus there. */
  insert: (text: string) => void;
  /** Look of a button in the composer. */
  buttonClass: string;
}

export interface IdeasProps extends IdeasPlace {
  conversationId: string;
  messages: readonly ChatMessage[];
}

/**
 * What another feature offers to write: a button in the composer, and a row placed absolutely above it. Must be stable
 * between renders.
 */
export type RenderIdeas<P = IdeasProps> = (place: P) => ReactNode;
