import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type Ref } from 'react';
import { Announcer } from '@/chat-ui/announcements/announcer';
import { useChat } from '@/chat-ui/chat-context';
import { canBeEdited, type ChatMessage, type Outgoing } from '@/chat-ui/chat-message';
import { Composer, type ComposerHandle, type ComposerProps } from '@/chat-ui/composer/composer';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';
import { copy, type NoticeKind } from '@/chat-ui/copy';
import { type DraftStorage } from '@/chat-ui/composer/draft';
import { type RenderIdeas } from '@/chat-ui/composer/ideas';
import { insultGuardPart } from '@/chat-ui/insults/insult-guard';
import { OpenedPhoto } from '@/chat-ui/lightbox/opened-photo';
import { parseContent, quoteInComposer } from '@/chat-ui/message-content';
import { MessageList } from '@/chat-ui/message-list/message-list';
import { type ConversationHandle } from '@/chat-ui/message-list/use-jump';
import { useRowsWithOutgoing } from '@/chat-ui/outbox/use-outgoing-rows';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { messageActionParts } from '@/chat-ui/message/message-action-parts';
import { type MessageCommands } from '@/chat-ui/message/message-commands';
import { useComposerTask } from '@/chat-ui/composer/use-composer-task';
import { useContactWarning } from '@/chat-ui/composer/use-contact-warning';
import { useDraft } from '@/chat-ui/composer/use-draft';
import { useFileDrop } from '@/chat-ui/composer/use-file-drop';
import { useNotSentNotice } from '@/chat-ui/composer/use-not-sent-notice';
import { useIsHidingInsults } from '@/product/stranger-settings';
import { usePreloaded } from '@/ui/use-preloaded';

/** Functions passed in must be stable between renders, because rows are memoized. */
export interface ConversationProps {
  ref?: Ref<ConversationHandle>;
  /** Accessible name of the list, such as 'Messages'. */
  label: string;
  /** The stored messages; unsent ones come from the outbox. */
  messages: readonly ChatMessage[];
  draft: DraftStorage;
  /** Id of the first unread message, at which the list opens. If absent, the list opens at its end. */
  startAt?: string | undefined;
  /** Renders rows that are cards. */
  renderCard?: (message: ChatMessage) => ReactNode;
  /** Renders something above a message, such as a timestamp or a divider. */
  renderAbove?: (message: ChatMessage, previous: ChatMessage | undefined) => ReactNode;
  /** Hides the time below each group of messages, because `renderAbove` already shows timestamps. */
  hidesTimes?: boolean;
  /** Called when the first message scrolls into view, so that older ones can be loaded. */
  onReachTop?: (() => void) | undefined;
  /** Shown above the first message. */
  top?: ReactNode;
  /** Shown below the last message. */
  footer?: ReactNode;
  /** Renders ideas for what to write, in the composer. */
  renderIdeas?: RenderIdeas | undefined;
}

// Constants, because `usePreloaded` needs the same array on every render.
const insultParts = [insultGuardPart];
const noParts: [] = [];

/** The quote that is sent with a message; null if the task is not a reply. */
const createQuote = (task: ComposerTask | null): Outgoing['replyTo'] => {
  if (task?.kind !== 'reply') return null;
  const { message, name } = task;
  return {
    messageId: message.id,
    content: quoteInComposer(message),
    senderId: message.senderId,
    senderName: name,
  };
};

/** The text of the notice in the composer, which shows one at a time. */
const chooseNotice = (notices: {
  isNotSentShown: boolean;
  isContactWarningShown: boolean;
  outboxNoticeKind: NoticeKind | null;
}): string | null => {
  const { isNotSentShown, isContactWarningShown, outboxNoticeKind } = notices;
  if (isNotSentShown) return copy.composer.notSent;
  if (isContactWarningShown) return copy.composer.contactWarning;
  return outboxNoticeKind && copy.notices[outboxNoticeKind];
};

/**
 * One chat on the screen: its messages, the composer and their overlays. `useChat` provides its participants, commands
 * and outbox, which holds the messages that are not stored yet.
 */
export const Conversation = ({
  ref,
  label,
  messages: stored,
  draft: draftStorage,
  startAt,
  renderCard,
  renderAbove,
  hidesTimes,
  onReachTop,
  top,
  footer,
  renderIdeas,
}: ConversationProps) => {
  const chat = useChat();
  const { me, partner, capabilities, isWithStranger, pickerEmojis, outbox, conversationId } = chat;
  const composer = useRef<ComposerHandle>(null);
  const list = useRef<ConversationHandle | null>(null);
  /**
   * What the user has revealed of a stranger's messages: URLs of pictures, insulting texts and contact details. Nothing
   * is hidden in a friend's messages.
   */
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(() => new Set());
  const [openedPhoto, setOpenedPhoto] = useState<{ url: string; name: string } | null>(null);
  const fileDrop = useFileDrop(capabilities.attach ? (file) => composer.current?.attach(file) : undefined);
  const messages = useRowsWithOutgoing(stored, outbox, conversationId, me.id);
  const draft = useDraft(draftStorage, (text) => composer.current?.replaceText(text));
  const { change: changeDraft } = draft;
  // The reply or the edit in progress.
  const { task, startTask, resumeReply } = useComposerTask(
    messages,
    draft.initial.replyToId,
    useCallback((replyToId) => changeDraft({ replyToId }), [changeDraft]),
  );
  const endTask = (): void => startTask(null);
  const { isNotSentShown, reportOutcome } = useNotSentNotice();
  // Warns the user once per chat before they send contact details to a stranger.
  const contactWarning = useContactWarning(isWithStranger ? conversationId : null);
  const outboxNoticeKind = outbox.useStore(({ notice }) =>
    notice?.conversationId === conversationId ? notice.kind : null,
  );

  useEffect(
    () =>
      outbox.registerComposer(conversationId, {
        // Puts an unsent message back into the composer.
        takeBack: (returned) => {
          if (!composer.current?.takeBack(returned)) return false;
          const { replyTo } = returned;
          if (replyTo) resumeReply(replyTo.messageId);
          return true;
        },
      }),
    [outbox, conversationId, resumeReply],
  );

  // Keeps the handle of the list for `onJump` below, and passes it on to `ref`.
  const setHandle = useCallback(
    (handle: ConversationHandle | null): void => {
      list.current = handle;
      if (typeof ref === 'function') ref(handle);
      else if (ref) ref.current = handle;
    },
    [ref],
  );

  const commands = useMemo<MessageCommands>(
    () => ({
      // There is one task at a time: starting a reply cancels an edit, and starting an edit cancels a reply.
      onReply: ({ id }) => startTask({ kind: 'reply', messageId: id }),
      onEdit: ({ id }) => startTask({ kind: 'edit', messageId: id }),
      onReact: (messageId, emoji) => void reportOutcome(chat.commands.react(messageId, emoji)),
      onDelete: (messageId) => chat.commands.delete?.(messageId),
      onReport: (messageId) => chat.commands.report?.(messageId),
      onRetry: (clientId) => void reportOutcome(outbox.retry(clientId)),
      onDiscard: outbox.discard,
      onJump: (messageId) => {
        // `false` means that the message is not loaded yet.
        if (list.current?.jumpTo(messageId) === false) chat.commands.loadAndJumpTo?.(messageId);
      },
      onReveal: (hidden) => setRevealed((before) => new Set([...before, hidden])),
      onOpenImage: (url, name) => setOpenedPhoto({ url, name }),
    }),
    [chat.commands, outbox, reportOutcome, startTask],
  );

  // Loads code while the page is idle, before it is needed: the actions of a message, and the list of insults.
  usePreloaded(messageActionParts);
  const isHidingInsults = useIsHidingInsults();
  usePreloaded(isHidingInsults && isWithStranger ? insultParts : noParts);

  const sendMessage: ComposerProps['onSend'] = (outgoing) => {
    if (contactWarning.showIfDue(outgoing.text)) return false; // the warning is shown, and the text not sent yet
    const replyTo = createQuote(task);
    const wasAccepted = reportOutcome(outbox.submit(conversationId, { ...outgoing, replyTo }));
    if (wasAccepted) endTask();
    return wasAccepted;
  };

  /** @returns whether the edit is finished; otherwise it stays open */
  const saveEdit = (newContent: string): boolean => {
    // Only narrows the type: the composer saves nothing but edits.
    if (task?.kind !== 'edit') return true;
    const isUnchanged = newContent === parseContent(task.message).text;
    if (isUnchanged) return true;
    if (contactWarning.showIfDue(newContent)) return false;
    return reportOutcome(chat.commands.edit(task.message.id, newContent));
  };

  const editLastOwnText = (): void => {
    const lastOwnText = messages.findLast((message) => canBeEdited(message, me.id));
    if (capabilities.edit && lastOwnText) startTask({ kind: 'edit', messageId: lastOwnText.id });
  };

  return (
    <div className="group/conversation relative flex min-h-0 flex-1 flex-col" {...fileDrop.handlers}>
      <MessageList
        ref={setHandle}
        label={label}
        messages={messages}
        startAt={startAt}
        me={me}
        partner={partner}
        commands={commands}
        capabilities={capabilities}
        revealed={isWithStranger ? revealed : null}
        renderCard={renderCard}
        renderAbove={renderAbove}
        hidesTimes={hidesTimes}
        onReachTop={onReachTop}
        top={top}
        footer={footer}
      />
      <Announcer messages={messages} partner={partner} isWithStranger={isWithStranger} />
      <PartBoundary title={copy.broken.composer}>
        <Composer
          ref={composer}
          onSend={sendMessage}
          onSave={saveEdit}
          task={task}
          onEndTask={endTask}
          onType={chat.commands.notifyTyping}
          onEditLast={editLastOwnText}
          canAttach={capabilities.attach}
          pickerEmojis={pickerEmojis}
          renderIdeas={
            renderIdeas && ((composerState) => renderIdeas({ ...composerState, conversationId, messages }))
          }
          draft={{ initial: draft.initial, onChange: changeDraft }}
          notice={chooseNotice({
            isNotSentShown,
            isContactWarningShown: contactWarning.isShown,
            outboxNoticeKind,
          })}
        />
      </PartBoundary>
      {fileDrop.isDraggingOver ? (
        <div className="pointer-events-none absolute inset-3 z-overlay grid place-items-center rounded-card border-2 border-dashed border-primary bg-overlay">
          <p className="rounded-card bg-popover px-5 py-3 text-md font-semibold">{copy.composer.dropPhoto}</p>
        </div>
      ) : null}
      {openedPhoto ? <OpenedPhoto {...openedPhoto} onClose={() => setOpenedPhoto(null)} /> : null}
    </div>
  );
};
