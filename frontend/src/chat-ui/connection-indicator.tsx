import { limits } from '@thaw/contract/limits';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';
import { useConnection } from '@/lib/socket/connection';
import { Button } from '@/ui/button';

/**
 * Shows the state of the connection as a dot and a word, the number of the current retry, and a Reconnect button when
 * only the user can reconnect.
 */
export const ConnectionIndicator = () => {
  const status = useConnection((state) => state.status);
  const reconnect = useConnection((state) => state.reconnect);
  const isOpen = status.kind === 'open';
  const isFailed = status.kind === 'failed';
  const canReconnect = isFailed && status.canReconnect;
  return (
    <div className="flex items-center">
      <p role="status" className="inline-flex items-center gap-2 text-sm font-medium text-muted-foreground">
        <span
          aria-hidden="true"
          className={cn(
            'size-2 rounded-full',
            isOpen && 'bg-success',
            isFailed && 'bg-destructive',
            !isOpen && !isFailed && 'animate-pulse bg-warning',
          )}
        />
        {isOpen ? copy.connection.connected : copy.connection.disconnected}
      </p>
      <p
        aria-live="polite"
        aria-atomic="true"
        className="text-sm text-muted-foreground tabular-nums not-empty:ms-2 max-sm:sr-only"
      >
        {status.kind === 'retrying'
          ? copy.connection.retrying(status.attempt, limits.reconnectAttempts)
          : null}
      </p>
      {canReconnect ? (
        <Button variant="secondary" size="sm" className="ms-2" onClick={reconnect}>
          {copy.connection.reconnect}
        </Button>
      ) : null}
    </div>
  );
};
