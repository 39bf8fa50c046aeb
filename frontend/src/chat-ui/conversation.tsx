import { useCallback, useMemo, useRef, useState, type ReactNode, type Ref } from 'react';
import { Announcer } from '@/chat-ui/announcer';
import { type ChatMessage, type Outgoing, type Returned } from '@/chat-ui/chat-message';
import { Composer, type ComposerHandle } from '@/chat-ui/composer';
import { type ComposerTask } from '@/chat-ui/composer-parts';
import { copy } from '@/chat-ui/copy';
import { Lightbox } from '@/chat-ui/lightbox';
import { contentOf, quoteInComposer } from '@/chat-ui/message-content';
import { MessageList, type Capabilities, type ConversationHandle } from '@/chat-ui/message-list';
import { type MessageAuthor } from '@/chat-ui/message-row';
import { PartBoundary } from '@/chat-ui/part-boundary';
import { type MessageCommands } from '@/chat-ui/row-actions';
import { useFileDrop } from '@/chat-ui/use-file-drop';

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
  /** No clock under each group: the time stamps above them say it. */
  hidesTimes?: boolean;
  /** Called when the first message comes into view: older ones may be loaded and put in front. */
  onReachTop?: () => void;
  /** A quote was followed whose message is not among these: older ones may be loaded in search of it. */
  onMissingSource?: (messageId: string) => void;
  /** Above the first message, such as «loading older messages». */
  top?: ReactNode;
  /** Under the last message, such as «is typing». */
  footer?: ReactNode;
  /** Between the list and the composer, such as suggestions or the hidden announcer. */
  children?: ReactNode;
}

const none: ReadonlySet<string> = new Set();

export const Conversation = ({
  ref,
  label,
  me,
  partner,
  messages,
  capabilities,
  canEdit,
  canDelete,
  onSend,
  onEdit,
  onReact,
  onDelete,
  onRetry,
  onType,
  isAbleToSend,
  upload,
  onReturned,
  draft,
  pickerEmojis,
  partnerImages,
  notice,
  renderCard,
  renderAbove,
  hidesTimes,
  onReachTop,
  onMissingSource,
  top,
  footer,
  children,
}: ConversationProps) => {
  const composer = useRef<ComposerHandle>(null);
  const list = useRef<ConversationHandle | null>(null);
  const [task, setTask] = useState<{ kind: 'reply' | 'edit'; messageId: string } | null>(null);
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(none);
  const [opened, setOpened] = useState<{ url: string; name: string } | null>(null);
  const fileDrop = useFileDrop(capabilities.attach ? (file) => composer.current?.attach(file) : undefined);

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
      // Starting the one cancels the other (A103).
      onReply: ({ id }) => setTask({ kind: 'reply', messageId: id }),
      onEdit: ({ id }) => setTask({ kind: 'edit', messageId: id }),
      onReact,
      onDelete: (messageId) => onDelete?.(messageId),
      onRetry,
      onJump: (messageId) => {
        if (list.current?.jumpTo(messageId) === false) onMissingSource?.(messageId);
      },
      onReveal: (url) => setRevealed((before) => new Set([...before, url])),
      onOpenImage: (url, name) => setOpened({ url, name }),
    }),
    [onDelete, onReact, onRetry, onMissingSource],
  );

  // As the message stands now: it may have been edited or deleted meanwhile.
  const subject = task && messages.find(({ id }) => id === task.messageId);
  const composerTask = useMemo<ComposerTask | null>(() => {
    if (!task || !subject || subject.isDeleted) return null;
    if (task.kind === 'edit') return { kind: 'edit', message: subject };
    const isMine = subject.senderId === me.id;
    return { kind: 'reply', message: subject, name: isMine ? me.username : partner.username, isMine };
  }, [task, subject, me.id, me.username, partner.username]);

  const send = (outgoing: Pick<Outgoing, 'content' | 'type'>): boolean => {
    const replied = composerTask?.kind === 'reply' ? composerTask : null;
    const wasTaken = onSend({
      ...outgoing,
      replyTo: replied && {
        messageId: replied.message.id,
        content: quoteInComposer(replied.message),
        senderId: replied.message.senderId,
        senderName: replied.name,
      },
    });
    if (wasTaken) setTask(null);
    return wasTaken;
  };

  const save = (newContent: string): boolean => {
    if (composerTask?.kind !== 'edit') return true;
    // Nothing changed: nothing to send.
    if (newContent === contentOf(composerTask.message).text) return true;
    return onEdit(composerTask.message.id, newContent);
  };

  return (
    <div className="relative flex min-h-0 flex-1 flex-col" {...fileDrop.handlers}>
      <MessageList
        ref={setHandle}
        label={label}
        messages={messages}
        me={me}
        partner={partner}
        commands={commands}
        capabilities={capabilities}
        canEdit={canEdit}
        canDelete={canDelete}
        revealed={partnerImages === 'hidden' ? revealed : null}
        renderCard={renderCard}
        renderAbove={renderAbove}
        hidesTimes={hidesTimes}
        onReachTop={onReachTop}
        top={top}
        footer={footer}
      />
      <Announcer newest={messages.at(-1)} partner={partner} />
      {children}
      <PartBoundary title={copy.broken.composer}>
        <Composer
          ref={composer}
          onSend={send}
          onSave={save}
          task={composerTask}
          onCancelTask={() => setTask(null)}
          onType={onType}
          upload={capabilities.attach ? upload : undefined}
          isAbleToSend={isAbleToSend}
          pickerEmojis={pickerEmojis}
          draft={draft}
          notice={notice}
          onReturned={onReturned}
        />
      </PartBoundary>
      {fileDrop.isDropping ? (
        <div className="pointer-events-none absolute inset-3 z-overlay grid place-items-center rounded-card border-2 border-dashed border-primary bg-overlay">
          <p className="rounded-card bg-popover px-5 py-3 text-md font-semibold">{copy.composer.drop}</p>
        </div>
      ) : null}
      {opened ? <Lightbox {...opened} onClose={() => setOpened(null)} /> : null}
    </div>
  );
};
