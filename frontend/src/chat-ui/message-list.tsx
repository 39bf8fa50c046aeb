import { useVirtualizer } from '@tanstack/react-virtual';
import { reactionEmojis } from '@thaw/contract/emojis';
import { ChevronDown } from 'lucide-react';
import {
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type SyntheticEvent,
} from 'react';
import { canBeReactedTo, isOwnText, positionInGroup, type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { contentOf } from '@/chat-ui/message-content';
import { MessageRow, type MessageAuthor } from '@/chat-ui/message-row';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { ActionSheet, type MessageCommands, type Offer } from '@/chat-ui/row-actions';
import { useArrival } from '@/chat-ui/use-arrival';
import { endThresholdPx, useEndOfList } from '@/chat-ui/use-end-of-list';
import { canTranslate } from '@/chat-ui/translation/translations.store';
import { useRowTouch } from '@/chat-ui/use-row-touch';
import { useLongPress } from '@/chat-ui/use-long-press';
import { cn } from '@/lib/class-names';

/** What can be done in this kind of chat; what is absent is offered nowhere. */
export interface Capabilities {
  reply: boolean;
  edit: boolean;
  react: boolean;
  delete: boolean;
  attach: boolean;
}

/** Moves the list from outside. */
export interface ConversationHandle {
  scrollToEnd: () => void;
  /** False when it is not among the messages. */
  jumpTo: (messageId: string) => boolean;
}

export interface MessageListProps {
  ref?: Ref<ConversationHandle>;
  label: string;
  messages: readonly ChatMessage[];
  me: MessageAuthor;
  partner: MessageAuthor;
  commands: MessageCommands;
  capabilities: Capabilities;
  canEdit?: ((message: ChatMessage) => boolean) | undefined;
  canDelete?: ((message: ChatMessage) => boolean) | undefined;
  revealed: ReadonlySet<string> | null;
  renderCard?: ((message: ChatMessage) => ReactNode) | undefined;
  renderAbove?: ((message: ChatMessage, previous: ChatMessage | undefined) => ReactNode) | undefined;
  hidesTimes?: boolean | undefined;
  /** The first message came into view. */
  onReachTop?: (() => void) | undefined;
  top?: ReactNode;
  /** Stands under the last row, such as «is typing». */
  footer?: ReactNode;
}

const estimatedRowPx = 48;

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('li[data-index]') : null;

const isInside = ({ currentTarget, target }: SyntheticEvent): boolean =>
  target instanceof Node && currentTarget.contains(target);

const ToEndButton = ({ unseen, onPress }: { unseen: number; onPress: () => void }) => (
  <div className="pointer-events-none absolute inset-x-0 bottom-2 z-floating flex justify-center">
    <button
      type="button"
      aria-label={unseen > 0 ? undefined : copy.list.newest}
      onClick={onPress}
      className={cn(
        'enter-rise pointer-events-auto inline-flex h-11 items-center gap-2 rounded-full text-base font-semibold shadow-elevated',
        unseen > 0
          ? 'bg-primary px-4 text-primary-foreground'
          : 'w-11 justify-center border border-border bg-popover text-foreground',
      )}
    >
      {unseen > 0 ? copy.list.unseen(unseen) : null}
      <ChevronDown aria-hidden="true" className="size-4" />
    </button>
  </div>
);

/** Mounts only the rows in sight; stays at the end while it is at the end. */
const List = ({
  ref,
  label,
  messages,
  me,
  partner,
  commands,
  capabilities,
  canEdit,
  canDelete,
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
  const [hovered, setHovered] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  /** The row whose reactions are being chosen from: it stays active although the focus has left it. */
  const [pinned, setPinned] = useState<string | null>(null);
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
  // What I wrote myself is always shown, wherever I had scrolled to.
  useEffect(() => {
    if (isMineOnItsWay) virtualizer.scrollToEnd();
  }, [isMineOnItsWay, lastKey, virtualizer]);

  const { leftAt, act, hasBegun } = useEndOfList(scroller, lastKey);
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

  const offerFor = (message: ChatMessage): Offer => {
    const isThere = canBeReactedTo(message);
    const isMine = message.senderId === me.id;
    return {
      reply: capabilities.reply && isThere,
      react: capabilities.react && isThere,
      edit: capabilities.edit && isOwnText(message, me.id) && (canEdit?.(message) ?? true),
      translate: isThere && !isMine && contentOf(message).text !== '' && canTranslate(),
      delete: capabilities.delete && isThere && isMine && (canDelete?.(message) ?? true),
    };
  };

  const keyOfRow = (row: HTMLElement | null): string | null =>
    row ? (messages[Number(row.dataset.index)]?.key ?? null) : null;

  const openSheet = (row: HTMLElement | null): void => {
    const message = row ? messages[Number(row.dataset.index)] : undefined;
    if (!message) return;
    // A message that was not delivered can be copied, sent again and deleted.
    const hasActions = message.delivery === 'failed' || Object.values(offerFor(message)).includes(true);
    if (hasActions) setInSheet(message.key);
  };

  // Up and Down go from row to row; Tab then leads to what can be done with it, Enter to the same as a sheet.
  const walk = (event: KeyboardEvent<HTMLDivElement>): void => {
    const row = rowOf(event.target);
    if (event.key === 'Enter' && row && event.target === row) {
      event.preventDefault();
      return openSheet(row);
    }
    if (event.target !== row && event.target !== scroller.current) return;
    // A page's own way to the top would stop where rows are measured on it.
    if (event.key === 'Home' || event.key === 'End') {
      event.preventDefault();
      if (event.key === 'Home') virtualizer.scrollToIndex(0, { align: 'start' });
      else virtualizer.scrollToEnd();
      return;
    }
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    // Where the mouse rests no longer counts.
    setHovered(null);
    const from = row ? Number(row.dataset.index) : messages.length;
    const index = Math.min(messages.length - 1, Math.max(0, from + step));
    virtualizer.scrollToIndex(index, { align: 'auto' });
    const focus = (): void =>
      scroller.current?.querySelector<HTMLElement>(`li[data-index="${index}"]`)?.focus();
    focus();
    // It may have to be mounted first.
    requestAnimationFrame(focus);
  };

  const longPress = useLongPress((target) => openSheet(rowOf(target)));

  const messageOf = (row: HTMLElement): ChatMessage | undefined => messages[Number(row.dataset.index)];
  const touch = useRowTouch({
    rowOf,
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
        onPointerOver={(event) => {
          // What a row opens elsewhere in the page reports here, too.
          if (event.pointerType !== 'mouse' || !isInside(event)) return;
          setHovered(keyOfRow(rowOf(event.target)));
        }}
        onPointerLeave={() => setHovered(null)}
        onFocus={(event) => {
          if (isInside(event)) setFocused(keyOfRow(rowOf(event.target)));
        }}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setFocused(null);
        }}
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
              const isActive = [hovered, focused, pinned].includes(message.key);
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
                    // What it offers stands over its neighbours.
                    isActive && 'z-raised',
                  )}
                  style={{ transform: `translateY(${start}px)` }}
                  onContextMenu={(event) => {
                    // The long press of a touch has its own menu here.
                    if (longPress.isPressed()) event.preventDefault();
                  }}
                >
                  {renderAbove?.(message, messages[index - 1])}
                  <div
                    data-swipe=""
                    className={cn(
                      'relative touch-pan-y rounded-control',
                      // The sign of the reply that a swipe uncovers.
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
                        onPin={setPinned}
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
