import { type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/** Props that the composer passes to the ideas, which are suggestions of what to write. */
export interface ComposerIdeasProps {
  /** Whether the field is empty, nothing is attached or edited, and no notice is shown. */
  hasRoomForIdeas: boolean;
  /** Inserts a text into the field and moves the focus there. */
  insert: (text: string) => void;
  /** Class names of a button in the composer. */
  buttonClass: string;
}

export interface IdeasProps extends ComposerIdeasProps {
  conversationId: string;
  messages: readonly ChatMessage[];
}

/**
 * Renders the ideas: a button in the composer, and a row that is positioned absolutely above the composer. The composer
 * itself has only `ComposerIdeasProps`; the conversation adds the other props.
 */
export type RenderIdeas<P = IdeasProps> = (props: P) => ReactNode;
