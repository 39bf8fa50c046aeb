import { type ReplyTo } from '@thaw/contract/random-chat';
import { mayBeExplicit } from '@thaw/contract/uploads';
import { memo, type ReactNode } from 'react';
import { Bubble } from '@/chat-ui/message/bubble';
import { isCard, isLargeEmoji, isNotice, type ChatMessage, type GroupPosition } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { DeliveryLine } from '@/chat-ui/message/delivery-line';
import { useIsHiddenInsult } from '@/chat-ui/insults/insult-guard';
import { parseContent } from '@/chat-ui/message-content';
import { MessageImage } from '@/chat-ui/message/message-image';
import { hasAnyAction, type AvailableActions } from '@/chat-ui/message/available-actions';
import { MessageQuote } from '@/chat-ui/message/message-quote';
import { ReactionPills } from '@/chat-ui/message/reactions';
import { RichText } from '@/chat-ui/message/rich-text';
import { type MessageCommands } from '@/chat-ui/message/message-commands';
import { RowControls } from '@/chat-ui/message/row-controls';
import { HiddenPart, RevealedAddresses, StrangerText } from '@/chat-ui/message/stranger-text';
import { TranslatedText } from '@/chat-ui/translation/translated-text';
import { cn } from '@/lib/class-names';
import { formatClockTime, formatExactTime, formatIsoTime } from '@/lib/time';
import { Avatar } from '@/ui/avatar';

/** One of the two users of a chat. */
export interface MessageAuthor {
  id: number;
  username: string;
  avatar: string | null;
  isPictureBlurred?: boolean;
}

/** `GroupPosition`: whether the message is the first or the last of a group by one sender. */
export interface MessageRowProps extends GroupPosition {
  message: ChatMessage;
  me: MessageAuthor;
  partner: MessageAuthor;
  commands: MessageCommands;
  /**
   * What the user has revealed of the partner, a stranger: picture URLs, insulting texts, contact details. Null if the
   * partner is a friend, of whom nothing is hidden.
   */
  revealed: ReadonlySet<string> | null;
  renderCard?: ((message: ChatMessage) => ReactNode) | undefined;
  /**
   * The available actions, as separate flags: an object would be new on each render of the list, and `memo` would not
   * skip the row.
   */
  canReply: boolean;
  canEdit: boolean;
  canReact: boolean;
  canDelete: boolean;
  canTranslate: boolean;
  canReport: boolean;
  /** Whether the row is hovered or focused and shows its actions. */
  isActive: boolean;
  /** Hides the time, because it is already shown above the messages. */
  hidesTimes: boolean;
  /** Called with the message key when a menu of the row opens, to keep the row active, and with null when it closes. */
  onPin: (key: string | null) => void;
  /** Shows the actions of the message as a sheet. */
  onOpenSheet: (key: string) => void;
}

const Notice = ({ message }: { message: ChatMessage }) => (
  <div className="flex items-center gap-3 py-3 text-sm text-muted-foreground">
    <span aria-hidden="true" className="h-px flex-1 bg-border" />
    <p className="max-w-[75%] text-center">{message.content}</p>
    <span aria-hidden="true" className="h-px flex-1 bg-border" />
  </div>
);

type ContentProps = Pick<MessageRowProps, 'message' | 'me' | 'partner' | 'commands' | 'revealed'> & {
  isMine: boolean;
};

const ReplyQuote = ({
  replyTo,
  message,
  me,
  commands,
  revealed,
  isMine,
}: ContentProps & { replyTo: ReplyTo }) => {
  const isByMe = replyTo.senderId === me.id;
  return (
    <MessageQuote
      replyTo={replyTo}
      name={isByMe ? copy.you : replyTo.senderName}
      // A failed message has no coloured bubble.
      isInOwnBubble={isMine && message.delivery !== 'failed'}
      isByStranger={revealed !== null && !isByMe}
      onJump={commands.onJump}
    />
  );
};

const MessageImages = ({
  urls,
  className,
  partner,
  commands,
  revealed,
  isMine,
}: ContentProps & { urls: readonly string[]; className: string | false }) => {
  const name = isMine ? copy.message.yourPhoto : copy.message.photoFrom(partner.username);
  const describeHidden = (url: string): string =>
    mayBeExplicit(url)
      ? copy.message.showExplicitPhotoFrom(partner.username)
      : copy.message.showPhotoFrom(partner.username);
  const isHidden = (url: string): boolean => !isMine && revealed !== null && !revealed.has(url);
  return (
    <div className={cn('grid grid-cols-[minmax(0,auto)] gap-1', className)}>
      {urls.map((url) => (
        <MessageImage
          key={url}
          url={url}
          name={name}
          revealLabel={isHidden(url) ? describeHidden(url) : null}
          onReveal={commands.onReveal}
          onOpen={(openedUrl) => commands.onOpenImage(openedUrl, name)}
        />
      ))}
    </div>
  );
};

/** The text, with "(edited)" after it, and below it the revealed addresses and the translation. */
const MessageText = ({
  text,
  className,
  message,
  commands,
  revealed,
  isMine,
}: ContentProps & { text: string; className: string | false }) => {
  const isByStranger = !isMine && revealed !== null;
  const mayBeHidden = isByStranger && !revealed.has(text);
  const isHidden = useIsHiddenInsult(mayBeHidden ? text : ''); // an empty text is never hidden
  const isReadable = text !== '' && !isHidden;
  return (
    <>
      {/* Isolates the text, so that its direction affects neither the "(edited)" after it nor the row. */}
      <span dir="auto" className={cn('block', className)}>
        <span className="[unicode-bidi:isolate]">
          {isHidden ? (
            <HiddenPart label={copy.message.hidden} onReveal={() => commands.onReveal(text)} />
          ) : isByStranger ? (
            <StrangerText text={text} revealed={revealed} onReveal={commands.onReveal} />
          ) : (
            <RichText text={text} hasLinks={revealed === null} />
          )}
        </span>
        {message.isEdited ? (
          <span className="ms-1.5 text-xs [unicode-bidi:isolate]">{copy.message.edited}</span>
        ) : null}
      </span>
      {isReadable && isByStranger ? <RevealedAddresses text={text} revealed={revealed} /> : null}
      {isReadable && !isMine ? (
        <TranslatedText messageKey={message.key} text={text} hidesContacts={isByStranger} />
      ) : null}
    </>
  );
};

const Content = (props: ContentProps) => {
  const { message } = props;
  if (message.isDeleted) return copy.message.deleted;
  const { replyTo } = message;
  const { text, imageUrls } = parseContent(message);
  const hasPictures = imageUrls.length > 0;
  return (
    <>
      {replyTo ? <ReplyQuote {...props} replyTo={replyTo} /> : null}
      {hasPictures ? <MessageImages {...props} urls={imageUrls} className={text !== '' && 'mb-1.5'} /> : null}
      {text || message.isEdited ? (
        <MessageText {...props} text={text} className={(hasPictures || replyTo !== null) && 'px-1'} />
      ) : null}
    </>
  );
};

/** One row of the list: a notice, a card, or a message bubble with its quote, reactions and actions. */
export const MessageRow = memo(function MessageRow({
  message,
  me,
  partner,
  commands,
  revealed,
  renderCard,
  isFirst,
  isLast,
  isActive,
  hidesTimes,
  onPin,
  onOpenSheet,
  canReply,
  canEdit,
  canReact,
  canDelete,
  canTranslate,
  canReport,
}: MessageRowProps) {
  if (isCard(message)) return <div className="py-3">{renderCard?.(message) ?? null}</div>;
  if (isNotice(message)) return <Notice message={message} />;
  const isMine = message.senderId !== partner.id;
  const actions: AvailableActions = {
    reply: canReply,
    edit: canEdit,
    react: canReact,
    delete: canDelete,
    translate: canTranslate,
    report: canReport,
  };
  // Quotes and pictures need less padding; a deleted message shows neither.
  const isTight = !message.isDeleted && (message.replyTo !== null || message.type !== 'text');
  return (
    <div className={cn('flex items-end gap-2', isFirst ? 'pt-3' : 'pt-[2px]')}>
      {isMine ? null : (
        <span className="w-8 shrink-0">
          {isLast ? (
            <Avatar
              id={partner.id}
              name={partner.username}
              picture={partner.avatar}
              isBlurred={partner.isPictureBlurred}
              className="mb-5 size-8 text-xs"
            />
          ) : null}
        </span>
      )}
      <div className={cn('flex min-w-0 flex-1 flex-col', isMine ? 'items-end' : 'items-start')}>
        <span className="sr-only">{isMine ? copy.you : partner.username}: </span>
        <div
          title={formatExactTime(message.timestamp)}
          className={cn(
            'relative flex max-w-[min(78%,34rem)] flex-col',
            isMine ? 'items-end' : 'items-start',
          )}
        >
          <Bubble
            className="max-w-full"
            isMine={isMine}
            isFirst={isFirst}
            isLast={isLast}
            isEmoji={isLargeEmoji(message) && message.replyTo === null}
            isFailed={message.delivery === 'failed'}
            isTight={isTight}
            isDeleted={message.isDeleted ?? false}
          >
            <Content
              message={message}
              me={me}
              partner={partner}
              commands={commands}
              revealed={revealed}
              isMine={isMine}
            />
          </Bubble>
          <ReactionPills
            reactions={message.reactions}
            ownId={me.id}
            onReact={canReact ? (emoji) => commands.onReact(message.id, emoji) : undefined}
          />
          {isActive && hasAnyAction(actions) ? (
            <RowControls
              message={message}
              ownId={me.id}
              isMine={isMine}
              actions={actions}
              commands={commands}
              onPin={onPin}
              onOpenSheet={onOpenSheet}
            />
          ) : null}
        </div>
        {isMine ? (
          <DeliveryLine
            message={message}
            hidesTime={hidesTimes}
            isLast={isLast}
            onRetry={commands.onRetry}
            onDiscard={commands.onDiscard}
          />
        ) : isLast && !hidesTimes ? (
          <p className="mt-1 text-xs text-muted-foreground tabular-nums">
            <time dateTime={formatIsoTime(message.timestamp)}>{formatClockTime(message.timestamp)}</time>
          </p>
        ) : null}
      </div>
    </div>
  );
});
