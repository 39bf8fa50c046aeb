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
import {
  determineActions,
  hasAnyAction,
  type Capabilities,
  type AvailableActions,
} from '@/chat-ui/message/available-actions';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { ActionSheet, type MessageCommands } from '@/chat-ui/message/row-actions';
import { readRowIndex, findRow } from '@/chat-ui/message-list/row-element';
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
const keyBeforeFirst = '';

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
  const instructionsId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [flashingKey, setFlashingKey] = useState<string | null>(null);
  const [sheetKey, setSheetKey] = useState<string | null>(null);
  const lastMessage = messages.at(-1);
  const { arrivingKey, finishArrival } = useArrival(messages);

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

  const isOwnMessageSending = lastMessage?.delivery === 'sending';
  const lastKey = lastMessage?.key;
  // The user's own new message scrolls into view from any scroll position.
  useEffect(() => {
    if (isOwnMessageSending) virtualizer.scrollToEnd();
  }, [isOwnMessageSending, lastKey, virtualizer]);

  const [startIndex] = useState(() => messages.findIndex(({ id }) => id === startAt));
  useLayoutEffect(() => {
    if (startIndex >= 0) virtualizer.scrollToIndex(startIndex, { align: 'start' });
  }, [startIndex, virtualizer]);
  const { lastKeyBeforeLeaving, noteUserAction, hasReachedStart } = useEndOfList(
    scroller,
    lastKey,
    startIndex < 0 ? null : (messages[startIndex - 1]?.key ?? keyBeforeFirst),
  );
  const rows = virtualizer.getVirtualItems();
  const firstVisibleIndex = rows[0]?.index;
  const firstKey = messages[0]?.key;
  useEffect(() => {
    const element = scroller.current;
    if (!element || firstVisibleIndex !== 0) return;
    if (hasReachedStart.current || element.scrollHeight <= element.clientHeight) onReachTop?.();
  }, [firstVisibleIndex, firstKey, hasReachedStart, onReachTop]);

  const jumpTo = useCallback(
    (messageId: string): boolean => {
      const index = messages.findIndex(({ id }) => id === messageId);
      if (index < 0) return false;
      noteUserAction();
      virtualizer.scrollToIndex(index, { align: 'center' });
      setFlashingKey(messages[index]?.key ?? null);
      return true;
    },
    [noteUserAction, messages, virtualizer],
  );
  useImperativeHandle(ref, () => ({ scrollToEnd: () => virtualizer.scrollToEnd(), jumpTo }), [
    jumpTo,
    virtualizer,
  ]);

  const findMessage = (row: HTMLElement | null): ChatMessage | undefined =>
    row ? messages[readRowIndex(row)] : undefined;
  const actionsFor = (message: ChatMessage): AvailableActions =>
    determineActions(message, me.id, capabilities);
  const active = useActiveRows((row) => findMessage(row)?.key ?? null);

  const openSheet = (row: HTMLElement | null): void => {
    const message = findMessage(row);
    if (!message) return;
    // A failed message can be copied, sent again and deleted.
    const hasActions = message.delivery === 'failed' || hasAnyAction(actionsFor(message));
    if (hasActions) setSheetKey(message.key);
  };

  const handleRowKey = useRowKeyboard({
    scroller,
    count: messages.length,
    virtualizer,
    onMove: active.clearHovered,
    onOpen: openSheet,
  });

  const longPress = useLongPress((target) => openSheet(findRow(target)));

  const touch = useRowTouch({
    canReply: (row) => {
      const message = findMessage(row);
      return message !== undefined && actionsFor(message).reply;
    },
    onReply: (row) => {
      const message = findMessage(row);
      if (message) commands.onReply(message);
    },
    onDoubleTap: (row) => {
      const message = findMessage(row);
      if (message && actionsFor(message).react) commands.onReact(message.id, reactionEmojis[0]);
    },
  });

  const unseenCount =
    lastKeyBeforeLeaving === null
      ? 0
      : messages
          .slice(messages.findLastIndex(({ key }) => key === lastKeyBeforeLeaving) + 1)
          .filter((message) => message.senderId === partner.id).length;
  const sheetMessage = sheetKey === null ? undefined : messages.find(({ key }) => key === sheetKey);

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <p id={instructionsId} className="sr-only">
        {copy.list.howTo}
      </p>
      <div
        ref={scroller}
        role="region"
        aria-label={label}
        aria-describedby={instructionsId}
        tabIndex={0}
        className="@container min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
        onKeyDown={handleRowKey}
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
              const actions = actionsFor(message);
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
                      message.key === arrivingKey && 'enter-rise',
                      message.key === flashingKey && 'flash',
                    )}
                    onAnimationEnd={({ animationName }) => {
                      if (animationName === 'flash') setFlashingKey(null);
                      if (animationName === 'rise') finishArrival();
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
                        canReply={actions.reply}
                        canEdit={actions.edit}
                        canReact={actions.react}
                        canDelete={actions.delete}
                        canTranslate={actions.translate}
                        canReport={actions.report}
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
      {lastKeyBeforeLeaving === null ? null : (
        <ToEndButton
          unseenCount={unseenCount}
          onPress={() => virtualizer.scrollToEnd({ behavior: 'auto' })}
        />
      )}
      {sheetMessage ? (
        <ActionSheet
          message={sheetMessage}
          me={me.id}
          actions={actionsFor(sheetMessage)}
          commands={commands}
          onClose={() => setSheetKey(null)}
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
