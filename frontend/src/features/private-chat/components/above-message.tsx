import { copy } from '@/features/private-chat/copy';
import { useNow } from '@/features/private-chat/hooks/use-now';
import { formatTimeStamp } from '@/features/private-chat/time-stamp';
import { formatIsoTime } from '@/lib/time';

/** When the message below was sent. `timestamp` is in ms since the epoch. */
export const TimeStamp = ({ timestamp }: { timestamp: number }) => {
  // The format depends on the age of the message, so the time stamp is rendered again every minute.
  const now = useNow();
  return (
    <p className="pt-4 pb-1 text-center text-xs font-medium text-muted-foreground tabular-nums">
      <time dateTime={formatIsoTime(timestamp)}>{formatTimeStamp(timestamp, now)}</time>
    </p>
  );
};

/** Separates the unread messages from the read ones above. */
export const UnreadDivider = () => (
  <div role="separator" aria-label={copy.unread} className="flex items-center gap-3 pt-4 pb-1 text-xs">
    <span aria-hidden="true" className="h-px flex-1 bg-primary" />
    <span aria-hidden="true" className="font-bold text-primary">
      {copy.unread}
    </span>
    <span aria-hidden="true" className="h-px flex-1 bg-primary" />
  </div>
);
