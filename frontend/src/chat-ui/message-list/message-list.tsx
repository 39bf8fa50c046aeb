import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
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
import { type MessageActionsProps, type MessageCommands } from '@/chat-ui/message/message-commands';
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
  /**
   * What the user has revealed in a stranger's messages: picture URLs, insulting texts and contact details. Null in a
   * chat with a friend, where nothing is hidden.
   */
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
/** Stands for the key of the row before the first one, which does not exist. */
const keyBeforeFirst = '';
/** The reaction of a double tap: a heart, the first emoji. */
const [heart] = reactionEmojis;

type ScrollMethods = Pick<Virtualizer<HTMLDivElement, Element>, 'scrollToEnd' | 'scrollToIndex'>;

/** Scrolls a message that the user has just sent into view, from any scroll position. */
const useScrollToOwnMessage = (lastMessage: ChatMessage | undefined, virtualizer: ScrollMethods): void => {
  const isSending = lastMessage?.delivery === 'sending';
  const lastKey = lastMessage?.key;
  // A further message changes `lastKey`. This runs the effect again even if `isSending` stays true.
  useEffect(() => {
    if (isSending) virtualizer.scrollToEnd();
  }, [isSending, lastKey, virtualizer]);
};

/**
 * Scrolls to the message at which the list opens. A later change of `startAt` has no effect.
 * @returns the key of the row before this message, which is the last row that the user has seen; null if the list opens
 * at its end
 */
const useStartPosition = (
  messages: readonly ChatMessage[],
  startAt: string | undefined,
  virtualizer: ScrollMethods,
): string | null => {
  const [startIndex] = useState(() => messages.findIndex(({ id }) => id === startAt));
  useLayoutEffect(() => {
    if (startIndex >= 0) virtualizer.scrollToIndex(startIndex, { align: 'start' });
  }, [startIndex, virtualizer]);
  if (startIndex < 0) return null;
  return messages[startIndex - 1]?.key ?? keyBeforeFirst;
};

interface ReachTopOptions {
  scroller: RefObject<HTMLElement | null>;
  isFirstRowMounted: boolean;
  firstKey: string | undefined;
  /** Whether the list has reached the position at which it opens. */
  isPositioned: RefObject<boolean>;
  onReachTop: (() => void) | undefined;
}

/**
 * Calls `onReachTop` when the first row is mounted: shortly before it scrolls into view, or because all rows fit
 * in view from the beginning.
 */
const useReachTop = ({
  scroller,
  isFirstRowMounted,
  firstKey,
  isPositioned,
  onReachTop,
}: ReachTopOptions): void => {
  // Older messages change `firstKey`. This runs the effect again even if `isFirstRowMounted` stays true.
  useEffect(() => {
    const element = scroller.current;
    if (!element || !isFirstRowMounted) return;
    const doAllRowsFit = element.scrollHeight <= element.clientHeight;
    if (isPositioned.current || doAllRowsFit) onReachTop?.();
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
  const lastSeenIndex = messages.findLastIndex(({ key }) => key === lastSeenKey); // -1 for an unknown key
  return messages.slice(lastSeenIndex + 1).filter(({ senderId }) => senderId === partnerId).length;
};

/** The actions of a message as a sheet, or a dialog with an error if the code of the sheet cannot be loaded. */
const LoadedActionSheet = ({ onClose, ...sheetProps }: MessageActionsProps & { onClose: () => void }) => (
  <LoadedPart
    part={actionSheetPart}
    renderFailure={({ retry }) => (
      <Modal isOpen title={copy.actions.label} onDismiss={onClose}>
        <LoadError text={copy.actions.notLoaded} onRetry={retry} className="mt-4" />
      </Modal>
    )}
  >
    {(ActionSheet) => <ActionSheet {...sheetProps} onClose={onClose} />}
  </LoadedPart>
);

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

  useScrollToOwnMessage(lastMessage, virtualizer);
  const initialLastSeenKey = useStartPosition(messages, startAt, virtualizer);
  const { lastSeenKey, noteUserAction, isPositioned } = useEndOfList(
    scroller,
    lastMessage?.key,
    initialLastSeenKey,
  );
  const mountedRows = virtualizer.getVirtualItems();
  useReachTop({
    scroller,
    isFirstRowMounted: mountedRows[0]?.index === 0,
    firstKey: messages[0]?.key,
    isPositioned,
    onReachTop,
  });
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
    // The sheet has actions of its own for a failed message: copy it, send it again, and delete it.
    const isFailed = message.delivery === 'failed';
    if (isFailed || hasAnyAction(findActions(message))) setSheetKey(message.key);
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
            {mountedRows.map(({ key, index, start }) => {
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
        <LoadedActionSheet
          message={sheetMessage}
          ownId={me.id}
          actions={findActions(sheetMessage)}
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
