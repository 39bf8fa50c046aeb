import { useVirtualizer } from '@tanstack/react-virtual';
import { reactionEmojis } from '@thaw/contract/emojis';
import {
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react';
import { positionInGroup, type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { MessageRow, type MessageAuthor } from '@/chat-ui/message/message-row';
import { offerOf, offersAnything, type Capabilities, type Offer } from '@/chat-ui/message/offer';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { ActionSheet, type MessageCommands } from '@/chat-ui/message/row-actions';
import { indexOf, rowOf } from '@/chat-ui/message-list/row-element';
import { ToEndButton } from '@/chat-ui/message-list/to-end-button';
import { useActiveRows } from '@/chat-ui/message-list/use-active-rows';
import { useArrival } from '@/chat-ui/message-list/use-arrival';
import { endThresholdPx, useEndOfList } from '@/chat-ui/message-list/use-end-of-list';
import { useLongPress } from '@/chat-ui/message/use-long-press';
import { useRowKeyboard } from '@/chat-ui/message-list/use-row-keyboard';
import { useRowTouch } from '@/chat-ui/message/use-row-touch';
import { cn } from '@/lib/class-names';

/** Scrolls the list from outside. */
export interface ConversationHandle {
  scrollToEnd: () => void;
  /** Returns false when the message is not loaded. */
  jumpTo: (messageId: string) => boolean;
}

export interface MessageListProps {
  ref?: Ref<ConversationHandle>;
  label: string;
  messages: readonly ChatMessage[];
  /** Id of the message to open at, instead of the newest. */
  startAt?: string | undefined;
  me: MessageAuthor;
  partner: MessageAuthor;
  commands: MessageCommands;
  capabilities: Capabilities;
  revealed: ReadonlySet<string> | null;
  renderCard?: ((message: ChatMessage) => ReactNode) | undefined;
  renderAbove?: ((message: ChatMessage, previous: ChatMessage | undefined) => ReactNode) | undefined;
  hidesTimes?: boolean | undefined;
  /** Called when the first message scrolls into view. */
  onReachTop?: (() => void) | undefined;
  top?: ReactNode;
  /** Shown below the last row, such as the typing indicator. */
  footer?: ReactNode;
}

const estimatedRowPx = 48;
/** Key that stands for the row before the first one. */
const beforeFirst = '';

/** Virtual list: mounts only the rows in view, and stays scrolled to its end while it is there. */
const List = ({
  ref,
  label,
  messages,
  startAt,
  me,
  partner,
  commands,
  capabilities,
  revealed,
  renderCard,
  renderAbove,
  hidesTimes = false,
  onReachTop,
  top,
  footer,
}: MessageListProps) => {
  const howToId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [flashed, setFlashed] = useState<string | null>(null);
  const [inSheet, setInSheet] = useState<string | null>(null);
  const last = messages.at(-1);
  const { arriving, arrived } = useArrival(messages);

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

  const isMineOnItsWay = last?.delivery === 'sending';
  const lastKey = last?.key;
  // The user's own new message scrolls into view from any scroll position.
  useEffect(() => {
    if (isMineOnItsWay) virtualizer.scrollToEnd();
  }, [isMineOnItsWay, lastKey, virtualizer]);

  const [startIndex] = useState(() => messages.findIndex(({ id }) => id === startAt));
  useLayoutEffect(() => {
    if (startIndex >= 0) virtualizer.scrollToIndex(startIndex, { align: 'start' });
  }, [startIndex, virtualizer]);
  const { leftAt, act, hasBegun } = useEndOfList(
    scroller,
    lastKey,
    startIndex < 0 ? null : (messages[startIndex - 1]?.key ?? beforeFirst),
  );
  const rows = virtualizer.getVirtualItems();
  const firstInSight = rows[0]?.index;
  const firstKey = messages[0]?.key;
  useEffect(() => {
    const element = scroller.current;
    if (!element || firstInSight !== 0) return;
    if (hasBegun.current || element.scrollHeight <= element.clientHeight) onReachTop?.();
  }, [firstInSight, firstKey, hasBegun, onReachTop]);

  const jumpTo = useCallback(
    (messageId: string): boolean => {
      const index = messages.findIndex(({ id }) => id === messageId);
      if (index < 0) return false;
      act();
      virtualizer.scrollToIndex(index, { align: 'center' });
      setFlashed(messages[index]?.key ?? null);
      return true;
    },
    [act, messages, virtualizer],
  );
  useImperativeHandle(ref, () => ({ scrollToEnd: () => virtualizer.scrollToEnd(), jumpTo }), [
    jumpTo,
    virtualizer,
  ]);

  const messageOf = (row: HTMLElement | null): ChatMessage | undefined =>
    row ? messages[indexOf(row)] : undefined;
  const offerFor = (message: ChatMessage): Offer => offerOf(message, me.id, capabilities);
  const active = useActiveRows((row) => messageOf(row)?.key ?? null);

  const openSheet = (row: HTMLElement | null): void => {
    const message = messageOf(row);
    if (!message) return;
    // A failed message can be copied, sent again and deleted.
    const hasActions = message.delivery === 'failed' || offersAnything(offerFor(message));
    if (hasActions) setInSheet(message.key);
  };

  const walk = useRowKeyboard({
    scroller,
    count: messages.length,
    virtualizer,
    onWalk: active.forgetMouse,
    onOpen: openSheet,
  });

  const longPress = useLongPress((target) => openSheet(rowOf(target)));

  const touch = useRowTouch({
    canReply: (row) => {
      const message = messageOf(row);
      return message !== undefined && offerFor(message).reply;
    },
    onReply: (row) => {
      const message = messageOf(row);
      if (message) commands.onReply(message);
    },
    onDoubleTap: (row) => {
      const message = messageOf(row);
      if (message && offerFor(message).react) commands.onReact(message.id, reactionEmojis[0]);
    },
  });

  const unseen =
    leftAt === null
      ? 0
      : messages
          .slice(messages.findLastIndex(({ key }) => key === leftAt) + 1)
          .filter((message) => message.senderId === partner.id).length;
  const sheetMessage = inSheet === null ? undefined : messages.find(({ key }) => key === inSheet);

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <p id={howToId} className="sr-only">
        {copy.list.howTo}
      </p>
      <div
        ref={scroller}
        role="region"
        aria-label={label}
        aria-describedby={howToId}
        tabIndex={0}
        className="@container min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
        onKeyDown={walk}
        {...active.handlers}
        {...touch}
        {...longPress.handlers}
      >
        <div className="mx-auto flex min-h-full w-full max-w-4xl flex-col justify-end px-4 pt-4 md:px-6">
          {top}
          <ol className="relative w-full shrink-0" style={{ height: virtualizer.getTotalSize() }}>
            {rows.map(({ key, index, start }) => {
              const message = messages[index];
              if (!message) return null;
              const offer = offerFor(message);
              const isActive = active.isActive(message.key);
              return (
                <li
                  key={key}
                  data-index={index}
                  ref={virtualizer.measureElement}
                  tabIndex={-1}
                  aria-setsize={messages.length}
                  aria-posinset={index + 1}
                  className={cn(
                    'absolute top-0 left-0 w-full rounded-control focus-visible:-outline-offset-2 [@media(pointer:coarse)]:select-none',
                    // The actions of the row overlap its neighbours.
                    isActive && 'z-raised',
                  )}
                  style={{ transform: `translateY(${start}px)` }}
                  onContextMenu={(event) => {
                    // On touch screens a long press opens the action sheet instead of the browser's menu.
                    if (longPress.isPressed()) event.preventDefault();
                  }}
                >
                  {renderAbove?.(message, messages[index - 1])}
                  <div
                    data-swipe=""
                    className={cn(
                      'relative touch-pan-y rounded-control',
                      // The reply icon revealed by a swipe.
                      "before:absolute before:top-1/2 before:-left-8 before:-translate-y-1/2 before:text-xl before:text-muted-foreground before:opacity-0 data-[swipe=moving]:before:opacity-50 data-[swipe=moving]:before:content-['↩'] data-[swipe=ready]:before:text-primary data-[swipe=ready]:before:opacity-100 data-[swipe=ready]:before:content-['↩']",
                      message.key === arriving && 'enter-rise',
                      message.key === flashed && 'flash',
                    )}
                    onAnimationEnd={({ animationName }) => {
                      if (animationName === 'flash') setFlashed(null);
                      if (animationName === 'rise') arrived();
                    }}
                  >
                    <PartBoundary title={copy.broken.message} resetKeys={[message]}>
                      <MessageRow
                        message={message}
                        me={me}
                        partner={partner}
                        commands={commands}
                        revealed={revealed}
                        renderCard={renderCard}
                        isActive={isActive}
                        hidesTimes={hidesTimes}
                        onPin={active.pin}
                        canReply={offer.reply}
                        canEdit={offer.edit}
                        canReact={offer.react}
                        canDelete={offer.delete}
                        canTranslate={offer.translate}
                        {...positionInGroup(messages, index)}
                      />
                    </PartBoundary>
                  </div>
                </li>
              );
            })}
          </ol>
          {footer}
        </div>
      </div>
      {leftAt === null ? null : (
        <ToEndButton unseen={unseen} onPress={() => virtualizer.scrollToEnd({ behavior: 'auto' })} />
      )}
      {sheetMessage ? (
        <ActionSheet
          message={sheetMessage}
          me={me.id}
          offer={offerFor(sheetMessage)}
          commands={commands}
          onClose={() => setInSheet(null)}
        />
      ) : null}
    </div>
  );
};

export const MessageList = (props: MessageListProps) => (
  <PartBoundary title={copy.broken.list} resetKeys={[props.messages]} className="min-h-0 flex-1">
    <List {...props} />
  </PartBoundary>
);
