import { type ReplyTo } from '@thaw/contract/random-chat';
import { copy } from '@/chat-ui/copy';
import { hideInsultsAndContacts, quoteInMessage } from '@/chat-ui/message-content';
import { cn } from '@/lib/class-names';

export interface MessageQuoteProps {
  replyTo: ReplyTo;
  /** Display name of the quoted user. */
  name: string;
  /** Whether the quote is inside a bubble in the colour of the user's own messages. */
  isInOwnBubble: boolean;
  /** Whether a stranger wrote the quoted message, so that its insults and contact details are hidden. */
  isByStranger: boolean;
  onJump: (messageId: string) => void;
}

/**
 * The quoted message above a reply: a coloured bar, the author's name and at most 50 characters. A click scrolls to the
 * message itself, where hidden text can be revealed.
 */
export const MessageQuote = ({ replyTo, name, isInOwnBubble, isByStranger, onJump }: MessageQuoteProps) => (
  <button
    type="button"
    onClick={() => onJump(replyTo.messageId)}
    className={cn(
      'relative mb-1.5 block w-full min-w-0 overflow-hidden rounded-[9px] py-1.5 pr-3 pl-4 text-left text-sm',
      'before:absolute before:inset-y-1.5 before:left-1.5 before:w-[3px] before:rounded-full',
      isInOwnBubble ? 'bg-quote-mine before:bg-bubble-me-foreground' : 'bg-card before:bg-primary',
    )}
  >
    <span className="sr-only">{copy.message.inReplyTo} </span>
    <span className="block truncate font-semibold">
      <bdi>{name}</bdi>
    </span>
    <span dir="auto" className="block truncate">
      {quoteInMessage(isByStranger ? hideInsultsAndContacts(replyTo.content) : replyTo.content)}
    </span>
  </button>
);
