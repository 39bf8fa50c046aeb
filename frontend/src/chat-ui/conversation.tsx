import { type ReactNode, type Ref } from 'react';
import { type ChatMessage, type Outgoing, type Returned } from '@/chat-ui/chat-message';
import { Composer } from '@/chat-ui/composer';
import { MessageList } from '@/chat-ui/message-list';
import { type MessageAuthor } from '@/chat-ui/message-row';

/** What can be done in this kind of chat; what is absent is offered nowhere. */
export interface Capabilities {
  reply: boolean;
  edit: boolean;
  react: boolean;
  delete: boolean;
  attach: boolean;
}

/** Moves the list from outside, such as a button «newest». */
export interface ConversationHandle {
  scrollToEnd: () => void;
  jumpTo: (messageId: string) => void;
}

/**
 * The list of messages and the composer under it, as the random and the private chat share them. It owns what is
 * nobody else's business: who is being answered, what is being edited, which picture is open. Functions given here
 * must be the same at every render: rows are drawn again only when they change.
 */
export interface ConversationProps {
  ref?: Ref<ConversationHandle>;
  /** Names the list, such as «Messages». */
  label: string;
  me: MessageAuthor;
  partner: MessageAuthor;
  messages: readonly ChatMessage[];
  capabilities: Capabilities;
  /** Beside the rule that it is my own text, sent and not deleted. */
  canEdit?: (message: ChatMessage) => boolean;
  /** Which of my messages may be deleted; all that are sent when not given. */
  canDelete?: (message: ChatMessage) => boolean;
  /** True when it was taken; otherwise the text and the picture stay in the composer. */
  onSend: (outgoing: Outgoing) => boolean;
  /** True when it was taken; otherwise the edit stays open. */
  onEdit: (messageId: string, newContent: string) => boolean;
  onReact: (messageId: string, emoji: string) => void;
  onDelete?: (messageId: string) => void;
  onRetry: (clientId: string) => void;
  onType?: () => void;
  /** Asked before a picture is uploaded: false while nothing can be sent. */
  isAbleToSend?: () => boolean;
  /** Stores a picture and answers its address. Bucket and name differ by the kind of chat. */
  upload: (file: File) => Promise<string>;
  /** Subscribes to what comes back from the server (A90); it is put before what stands in the composer. */
  onReturned?: (take: (returned: Returned) => void) => () => void;
  /** A text begun earlier, and where each new state of it is kept. */
  draft?: { initial: string; onChange: (text: string) => void };
  /** Sixteen in the random chat, twenty-four in the private one. */
  pickerEmojis: readonly string[];
  /** The partner's pictures: blurred until clicked (B07), or shown as a friend's are. */
  partnerImages: 'hidden' | 'shown';
  /** A quiet line above the field. */
  notice?: string | null;
  /** Draws messages of Break the Ice. */
  renderCard?: (message: ChatMessage) => ReactNode;
  /** What stands above a message: time stamps, a divider «new». */
  renderAbove?: (message: ChatMessage, previous: ChatMessage | undefined) => ReactNode;
  /** Called when the first message comes into view: older ones may be loaded and put in front. */
  onReachTop?: () => void;
  /** Above the first message, such as «loading older messages». */
  top?: ReactNode;
  /** Under the last message, such as «is typing». */
  footer?: ReactNode;
  /** Between the list and the composer, such as suggestions or the hidden announcer. */
  children?: ReactNode;
}

export const Conversation = ({
  label,
  partner,
  messages,
  onSend,
  onRetry,
  onType,
  onReturned,
  notice,
  footer,
  children,
}: ConversationProps) => (
  <>
    <MessageList label={label} messages={messages} partner={partner} onRetry={onRetry} footer={footer} />
    {children}
    <Composer
      onSend={(content) => onSend({ content, type: 'text', replyTo: null })}
      {...(onType ? { onType } : {})}
      {...(onReturned
        ? { onReturned: (take: (text: string) => void) => onReturned(({ content }) => take(content)) }
        : {})}
      notice={notice ?? null}
    />
  </>
);
