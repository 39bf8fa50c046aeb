import { type ReactNode } from 'react';
import { type GroupPosition } from '@/chat-ui/chat-message';
import { cn } from '@/lib/class-names';

export interface BubbleProps extends GroupPosition {
  isMine: boolean;
  /** Whether the content is only one or a few emojis, which are shown large and without a background. */
  isEmoji?: boolean;
  isFailed?: boolean;
  /** Whether the bubble contains a picture or a quote, which need less padding. */
  isTight?: boolean;
  /** Whether the message is deleted and the bubble contains only a placeholder. */
  isDeleted?: boolean;
  className?: string;
  children: ReactNode;
}

/** The background of one message. The corners between the messages of a group have a smaller radius. */
export const Bubble = ({
  isMine,
  isFirst,
  isLast,
  isEmoji = false,
  isFailed = false,
  isTight = false,
  isDeleted = false,
  className,
  children,
}: BubbleProps) => (
  <div
    className={cn(
      'w-fit max-w-[min(78%,34rem)] text-chat break-words whitespace-pre-wrap [overflow-wrap:anywhere]',
      isEmoji
        ? 'py-1 text-[2.5rem] leading-tight'
        : [
            'rounded-card px-3 py-2',
            isTight && 'px-2',
            isMine ? 'bg-bubble-me text-bubble-me-foreground' : 'bg-bubble-them text-foreground',
            isFailed && 'bg-transparent text-foreground inset-ring inset-ring-destructive',
            isDeleted && 'bg-transparent text-muted-foreground italic inset-ring inset-ring-border',
            isMine && !isFirst && 'rounded-tr-inner',
            isMine && !isLast && 'rounded-br-inner',
            !isMine && !isFirst && 'rounded-tl-inner',
            !isMine && !isLast && 'rounded-bl-inner',
          ],
      isMine && 'ml-auto',
      className,
    )}
  >
    {children}
  </div>
);
