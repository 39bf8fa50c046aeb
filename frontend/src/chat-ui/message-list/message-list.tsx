import { useVirtualizer } from '@tanstack/react-virtual';
import { reactionEmojis } from '@thaw/contract/emojis';
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type Ref,
  type RefObject,
} from 'react';
import { findPositionInGroup, type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { MessageRow, type MessageAuthor } from '@/chat-ui/message/message-row';
import {
  determineActions,
  hasAnyAction,
  type Capabilities,
  type AvailableActions,
} from '@/chat-ui/message/available-actions';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { actionSheetPart } from '@/chat-ui/message/message-action-parts';
import { type MessageCommands } from '@/chat-ui/message/message-commands';
import { ListItem } from '@/chat-ui/message-list/list-item';
import { readRowIndex, findRow } from '@/chat-ui/message-list/row-element';
import { ToEndButton } from '@/chat-ui/message-list/to-end-button';
import { useActiveRows } from '@/chat-ui/message-list/use-active-rows';
import { useArrival } from '@/chat-ui/message-list/use-arrival';
import { endThresholdPx, useEndOfList } from '@/chat-ui/message-list/use-end-of-list';
import { useLongPress } from '@/chat-ui/message/use-long-press';
import { useJump, type ConversationHandle } from '@/chat-ui/message-list/use-jump';
import { useRowKeyboard } from '@/chat-ui/message-list/use-row-keyboard';
import { useRowTouch } from '@/chat-ui/message/use-row-touch';
import { LoadError } from '@/ui/load-error';
import { LoadedPart } from '@/ui/loaded-part';
import { Modal } from '@/ui/modal';

export interface MessageListProps {
  ref?: Ref<ConversationHandle>;
  label: string;
  messages: readonly ChatMessage[];
  /** Id of the message at which the list opens. If absent, the list opens at its end. */
  startAt?: string | undefined;
  me: MessageAuthor;
  partner: MessageAuthor;
  commands: MessageCommands;
  capabilities: Capabilities;
  /** What the user has revealed of a stranger: picture URLs, insulting texts, contact details; null for a friend. */
  revealed: ReadonlySet<string> | null;
  /** Renders a message that is a card, such as a game, instead of a bubble. */
  renderCard?: ((message: ChatMessage) => ReactNode) | undefined;
  /** Renders something above a message, such as a timestamp or a divider. */
  renderAbove?: ((message: ChatMessage, previous: ChatMessage | undefined) => ReactNode) | undefined;
  hidesTimes?: boolean | undefined;
  /** Called when the first message is about to scroll into view. */
  onReachTop?: (() => void) | undefined;
  /** Shown above the first row, such as a note that older messages are loading. */
  top?: ReactNode;
  /** Shown below the last row, such as the typing indicator. */
  footer?: ReactNode;
}

/** The height assumed for a row before it is measured: that of a message of one line. */
const estimatedRowPx = 48;
/** Number of rows mounted beyond each end of the visible part, so that scrolling shows no gaps. */
const extraRows = 8;
/** Key that stands for the row before the first one. */
const keyBeforeFirst = '';
/** The reaction of a double tap: a heart, the first emoji. */
const [heart] = reactionEmojis;

/**
 * Calls `onReachTop` when the first row is mounted: shortly before it scrolls into view, or because all rows fit
 * in view from the beginning.
 * @param isPositioned  whether the list has reached the position at which it opens
 */
const useReachTop = (
  scroller: RefObject<HTMLElement | null>,
  isFirstRowMounted: boolean,
  firstKey: string | undefined,
  isPositioned: RefObject<boolean>,
  onReachTop: (() => void) | undefined,
): void => {
  // Older messages change `firstKey`. This runs the effect again even if `isFirstRowMounted` stays true.
  useEffect(() => {
    const element = scroller.current;
    if (!element || !isFirstRowMounted) return;
    if (isPositioned.current || element.scrollHeight <= element.clientHeight) onReachTop?.();
  }, [scroller, isFirstRowMounted, firstKey, isPositioned, onReachTop]);
};

/**
 * Counts the partner's messages below the last seen row.
 * @param lastSeenKey  null while the end of the list is in view; an unknown key, such as `keyBeforeFirst`, makes all
 * rows count
 */
const countUnseen = (
  messages: readonly ChatMessage[],
  lastSeenKey: string | null,
  partnerId: number,
): number => {
  if (lastSeenKey === null) return 0;
  const firstUnseen = messages.findLastIndex(({ key }) => key === lastSeenKey) + 1;
  return messages.slice(firstUnseen).filter(({ senderId }) => senderId === partnerId).length;
};

/** A virtualized list: mounts only the rows in view. It stays scrolled to its end until the user scrolls up. */
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
  /** Key of the message whose actions are shown as a sheet. */
  const [sheetKey, setSheetKey] = useState<string | null>(null);
  const lastMessage = messages.at(-1);
  // The row that was just appended plays its entry animation once.
  const { arrivingKey, finishArrival } = useArrival(messages);

  // eslint-disable-next-line react-hooks/incompatible-library -- nothing here is memoized by a compiler
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedRowPx,
    getItemKey: (index) => messages[index]?.key ?? index,
    overscan: extraRows,
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
  // The row before the one at which the list opens is the last seen.
  const { lastSeenKey, noteUserAction, isPositioned } = useEndOfList(
    scroller,
    lastKey,
    startIndex < 0 ? null : (messages[startIndex - 1]?.key ?? keyBeforeFirst),
  );
  const rows = virtualizer.getVirtualItems();
  useReachTop(scroller, rows[0]?.index === 0, messages[0]?.key, isPositioned, onReachTop);
  // A row to which the user has jumped, for example from a quote of it, flashes.
  const { flashingKey, finishFlash } = useJump(ref, messages, virtualizer, noteUserAction);

  const findMessage = (row: HTMLElement | null): ChatMessage | undefined =>
    row ? messages[readRowIndex(row)] : undefined;
  const findActions = (message: ChatMessage): AvailableActions =>
    determineActions(message, me.id, capabilities);
  // An active row is hovered, focused, or has an open reaction menu; it shows its actions.
  const activeRows = useActiveRows((row) => findMessage(row)?.key ?? null);

  const openSheetOfRow = (row: HTMLElement | null): void => {
    const message = findMessage(row);
    if (!message) return;
    // `findActions` finds none for a failed message, but the sheet can copy it, send it again and delete it.
    const hasActions = message.delivery === 'failed' || hasAnyAction(findActions(message));
    if (hasActions) setSheetKey(message.key);
  };

  const handleRowKey = useRowKeyboard({
    scroller,
    count: messages.length,
    virtualizer,
    onMove: activeRows.clearHovered,
    onOpen: openSheetOfRow,
  });

  const longPress = useLongPress((target) => openSheetOfRow(findRow(target)));

  const touchHandlers = useRowTouch({
    canReply: (row) => {
      const message = findMessage(row);
      return message !== undefined && findActions(message).reply;
    },
    onReply: (row) => {
      const message = findMessage(row);
      if (message) commands.onReply(message);
    },
    onDoubleTap: (row) => {
      const message = findMessage(row);
      if (message && findActions(message).react) commands.onReact(message.id, heart);
    },
  });

  const unseenCount = countUnseen(messages, lastSeenKey, partner.id);
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
        {...activeRows.handlers}
        {...touchHandlers}
        {...longPress.handlers}
      >
        <div className="mx-auto flex min-h-full w-full max-w-4xl flex-col justify-end px-4 pt-4 md:px-6">
          {top}
          <ol className="relative w-full shrink-0" style={{ height: virtualizer.getTotalSize() }}>
            {rows.map(({ key, index, start }) => {
              const message = messages[index];
              if (!message) return null;
              const actions = findActions(message);
              const isActive = activeRows.isActive(message.key);
              return (
                <ListItem
                  key={key}
                  ref={virtualizer.measureElement}
                  index={index}
                  count={messages.length}
                  topPx={start}
                  isActive={isActive}
                  isArriving={message.key === arrivingKey}
                  isFlashing={message.key === flashingKey}
                  isListPressed={longPress.isPressed}
                  onArrived={finishArrival}
                  onFlashed={finishFlash}
                  above={renderAbove?.(message, messages[index - 1])}
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
                      onPin={activeRows.pin}
                      onOpenSheet={setSheetKey}
                      canReply={actions.reply}
                      canEdit={actions.edit}
                      canReact={actions.react}
                      canDelete={actions.delete}
                      canTranslate={actions.translate}
                      canReport={actions.report}
                      {...findPositionInGroup(messages, index)}
                    />
                  </PartBoundary>
                </ListItem>
              );
            })}
          </ol>
          {footer}
        </div>
      </div>
      {lastSeenKey === null ? null : (
        <ToEndButton
          unseenCount={unseenCount}
          onPress={() => virtualizer.scrollToEnd({ behavior: 'auto' })}
        />
      )}
      {sheetMessage ? (
        <LoadedPart
          part={actionSheetPart}
          renderFailure={({ retry }) => (
            <Modal isOpen title={copy.actions.label} onDismiss={() => setSheetKey(null)}>
              <LoadError text={copy.actions.notLoaded} onRetry={retry} className="mt-4" />
            </Modal>
          )}
        >
          {(ActionSheet) => (
            <ActionSheet
              message={sheetMessage}
              ownId={me.id}
              actions={findActions(sheetMessage)}
              commands={commands}
              onClose={() => setSheetKey(null)}
            />
          )}
        </LoadedPart>
      ) : null}
    </div>
  );
};

export const MessageList = (props: MessageListProps) => (
  <PartBoundary title={copy.broken.list} resetKeys={[props.messages]} className="min-h-0 flex-1">
    <List {...props} />
  </PartBoundary>
);
