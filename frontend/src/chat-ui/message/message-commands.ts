import { type ChatMessage } from '@/chat-ui/chat-message';
import { type AvailableActions } from '@/chat-ui/message/available-actions';

/** Operations on messages. The object must be stable between renders, because memoised rows receive it. */
export interface MessageCommands {
  onReply: (message: ChatMessage) => void;
  onEdit: (message: ChatMessage) => void;
  onReact: (messageId: string, emoji: string) => void;
  onDelete: (messageId: string) => void;
  onRetry: (clientId: string) => void;
  /** Deletes a message that was not delivered, or cancels the upload of its picture. */
  onDiscard: (clientId: string) => void;
  onReport: (messageId: string) => void;
  onJump: (messageId: string) => void;
  /** @param hidden  URL of a picture, insulting text, or contact detail, which is revealed in all messages */
  onReveal: (hidden: string) => void;
  onOpenImage: (url: string, name: string) => void;
}

/** Props of the components that show the actions of one message. */
export interface MessageActionsProps {
  message: ChatMessage;
  /** Id of the signed-in user. */
  ownId: number;
  actions: AvailableActions;
  commands: MessageCommands;
}
