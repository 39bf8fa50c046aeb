import { Check, Clock3, RotateCw, Trash2, X } from 'lucide-react';
import { type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { formatClockTime, formatIsoTime } from '@/lib/time';

export interface DeliveryLineProps {
  message: ChatMessage;
  /** Whether the line shows no time, because timestamps are shown above the messages. */
  hidesTime: boolean;
  /** Whether the message is the last of its group; the others show only uploads and failures. */
  isLast: boolean;
  onRetry: (clientId: string) => void;
  onDiscard: (clientId: string) => void;
}

const buttonClass =
  'relative inline-flex items-center gap-1 rounded-control px-2 py-1 font-semibold underline underline-offset-4 after:absolute after:-inset-y-2 after:inset-x-0 [&_svg]:size-3';

const LineButton = ({ onPress, children }: { onPress: () => void; children: ReactNode }) => (
  <button type="button" className={buttonClass} onClick={onPress}>
    {children}
  </button>
);

const UploadLine = ({ percent, onCancel }: { percent: number; onCancel: () => void }) => (
  <div className="mt-1 flex items-center justify-end gap-2 text-sm text-muted-foreground tabular-nums">
    <progress
      aria-label={copy.delivery.progress}
      value={percent}
      max={100}
      className="h-1 w-16 appearance-none overflow-hidden rounded-full bg-border [&::-moz-progress-bar]:bg-primary [&::-webkit-progress-bar]:bg-border [&::-webkit-progress-value]:bg-primary"
    />
    <span aria-hidden="true">{copy.delivery.uploading(percent)}</span>
    <LineButton onPress={onCancel}>
      <X aria-hidden="true" />
      {copy.delivery.cancel}
    </LineButton>
  </div>
);

/** The delivery state of the user's own message: uploading, sending, sent, or failed with Retry and Delete. */
export const DeliveryLine = ({ message, hidesTime, isLast, onRetry, onDiscard }: DeliveryLineProps) => {
  // A message that has failed or is being uploaded always has a `clientId`.
  const { clientId = '', delivery, picture } = message;
  if (delivery === 'failed') {
    return (
      <div className="mt-1 flex flex-wrap items-center justify-end gap-1 text-sm text-destructive">
        {copy.delivery.failed}
        <LineButton onPress={() => onRetry(clientId)}>
          <RotateCw aria-hidden="true" />
          {copy.delivery.retry}
        </LineButton>
        <LineButton onPress={() => onDiscard(clientId)}>
          <Trash2 aria-hidden="true" />
          {picture ? copy.delivery.removePhoto : copy.delivery.delete}
        </LineButton>
      </div>
    );
  }
  const uploadPercent = picture?.percent ?? null;
  const isUploading = uploadPercent !== null;
  if (isUploading) {
    return <UploadLine percent={uploadPercent} onCancel={() => onDiscard(clientId)} />;
  }
  if (!isLast) return null;
  const isSending = delivery === 'sending';
  const Icon = isSending ? Clock3 : Check;
  return (
    <p className="mt-1 flex items-center justify-end gap-1 text-xs text-muted-foreground tabular-nums">
      {hidesTime ? null : (
        <time dateTime={formatIsoTime(message.timestamp)}>{formatClockTime(message.timestamp)}</time>
      )}
      <Icon aria-hidden="true" className="size-3" />
      <span className="sr-only">{isSending ? copy.delivery.sending : copy.delivery.sent}</span>
    </p>
  );
};
