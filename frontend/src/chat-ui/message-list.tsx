import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import { positionInGroup, type ChatMessage } from '@/chat-ui/chat-message';
import { MessageRow, type MessageAuthor } from '@/chat-ui/message-row';
import { cn } from '@/lib/class-names';

export interface MessageListProps {
  label: string;
  messages: readonly ChatMessage[];
  partner: MessageAuthor;
  onRetry: (clientId: string) => void;
  /** Stands under the last row, such as «is typing». */
  footer?: ReactNode;
}

const estimatedRowPx = 48;
const endThresholdPx = 80;

/** Mounts only the rows in sight; stays at the end while it is at the end. */
export const MessageList = ({ label, messages, partner, onRetry, footer }: MessageListProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the compiler leaves this component alone, as it should
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedRowPx,
    getItemKey: (index) => messages[index]?.key ?? index,
    overscan: 8,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endThresholdPx,
  });

  const last = messages.at(-1);
  const isMineOnItsWay = last?.delivery === 'sending';
  const lastKey = last?.key;
  // What I wrote myself is always shown, wherever I had scrolled to.
  useEffect(() => {
    if (isMineOnItsWay) virtualizer.scrollToEnd();
  }, [isMineOnItsWay, lastKey, virtualizer]);

  // The room shrinks (the skip bar, a keyboard on a phone) or a row grows: the end stays the end.
  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    let isAtEnd = true;
    const remember = (): void => {
      isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= endThresholdPx;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(content);
    element.addEventListener('scroll', remember, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', remember);
    };
  }, []);

  return (
    <div
      ref={scroller}
      role="region"
      aria-label={label}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
    >
      <div className="mx-auto flex min-h-full w-full max-w-4xl flex-col justify-end px-4 pt-4 md:px-6">
        <ol className="relative w-full shrink-0" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ key, index, start }) => {
            const message = messages[index];
            if (!message) return null;
            return (
              <li
                key={key}
                data-index={index}
                ref={virtualizer.measureElement}
                aria-setsize={messages.length}
                aria-posinset={index + 1}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${start}px)` }}
              >
                <div className={cn(message === last && messages.length > 1 && 'enter-rise')}>
                  <MessageRow
                    message={message}
                    partner={partner}
                    onRetry={onRetry}
                    {...positionInGroup(messages, index)}
                  />
                </div>
              </li>
            );
          })}
        </ol>
        {footer}
      </div>
    </div>
  );
};
