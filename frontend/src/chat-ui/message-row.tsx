import { Check, Clock3, RotateCw } from 'lucide-react';
import { memo } from 'react';
import { Bubble } from '@/chat-ui/bubble';
import { isLargeEmoji, isNotice, type ChatMessage, type GroupPosition } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';
import { clockTime } from '@/lib/time';
import { Avatar } from '@/ui/avatar';

export interface MessageAuthor {
  id: number;
  username: string;
  avatar: string | null;
}

export interface MessageRowProps extends GroupPosition {
  message: ChatMessage;
  partner: MessageAuthor;
  onRetry: (clientId: string) => void;
}

const Notice = ({ message }: { message: ChatMessage }) => (
  <div className="flex items-center gap-3 py-3 text-sm text-muted-foreground">
    <span aria-hidden="true" className="h-px flex-1 bg-border" />
    <p className="max-w-[75%] text-center">{message.content}</p>
    <span aria-hidden="true" className="h-px flex-1 bg-border" />
  </div>
);

const DeliveryLine = ({ message }: { message: ChatMessage }) => {
  const time = (
    <time dateTime={new Date(message.timestamp).toISOString()}>{clockTime(message.timestamp)}</time>
  );
  const isSending = message.delivery === 'sending';
  const Icon = isSending ? Clock3 : Check;
  return (
    <p className="mt-1 flex items-center justify-end gap-1 text-xs text-muted-foreground tabular-nums">
      {time}
      <Icon aria-hidden="true" className="size-3" />
      <span className="sr-only">{isSending ? copy.delivery.sending : copy.delivery.sent}</span>
    </p>
  );
};

const FailedLine = ({
  clientId,
  onRetry,
}: {
  clientId: string | undefined;
  onRetry: (clientId: string) => void;
}) => (
  <p className="mt-1 flex items-center justify-end gap-1 text-sm text-destructive">
    {copy.delivery.failed}
    <button
      type="button"
      className="relative inline-flex items-center gap-1 rounded-control px-2 py-1 font-semibold underline underline-offset-4 after:absolute after:-inset-2"
      onClick={() => (clientId === undefined ? undefined : onRetry(clientId))}
    >
      <RotateCw aria-hidden="true" className="size-3" />
      {copy.delivery.retry}
    </button>
  </p>
);

/** One row of the list: a notice, or a bubble with what belongs to it. */
export const MessageRow = memo(function MessageRow({
  message,
  partner,
  isFirst,
  isLast,
  onRetry,
}: MessageRowProps) {
  if (isNotice(message)) return <Notice message={message} />;
  const isMine = message.senderId !== partner.id;
  return (
    <div className={cn('flex items-end gap-2', isFirst ? 'pt-3' : 'pt-[2px]')}>
      {isMine ? null : (
        <span className="w-8 shrink-0">
          {isLast ? (
            <Avatar
              id={partner.id}
              name={partner.username}
              picture={partner.avatar}
              className="mb-5 size-8 text-xs"
            />
          ) : null}
        </span>
      )}
      <div className="min-w-0 flex-1">
        <span className="sr-only">{isMine ? copy.you : partner.username}: </span>
        <Bubble
          isMine={isMine}
          isFirst={isFirst}
          isLast={isLast}
          isEmoji={isLargeEmoji(message)}
          isFailed={message.delivery === 'failed'}
        >
          {message.content}
        </Bubble>
        {isMine && message.delivery === 'failed' ? (
          <FailedLine clientId={message.clientId} onRetry={onRetry} />
        ) : isLast && isMine ? (
          <DeliveryLine message={message} />
        ) : isLast ? (
          <p className="mt-1 text-xs text-muted-foreground tabular-nums">
            <time dateTime={new Date(message.timestamp).toISOString()}>{clockTime(message.timestamp)}</time>
          </p>
        ) : null}
      </div>
    </div>
  );
});
