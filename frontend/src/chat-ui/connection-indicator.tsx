import { limits } from '@thaw/contract/limits';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';
import { useConnection } from '@/lib/socket/connection';
import { Button } from '@/ui/button';

/** A dot and a word; after giving up, a button to try again. */
export const ConnectionIndicator = () => {
  const status = useConnection((state) => state.status);
  const reconnect = useConnection((state) => state.reconnect);
  const isOpen = status.kind === 'open';
  const canReconnect = status.kind === 'failed' && status.canReconnect;
  return (
    <div className="flex items-center gap-2">
      <p role="status" className="inline-flex items-center gap-2 text-sm font-medium text-muted-foreground">
        <span
          aria-hidden="true"
          className={cn(
            'size-2 rounded-full',
            isOpen ? 'bg-success' : status.kind === 'failed' ? 'bg-destructive' : 'animate-pulse bg-warning',
          )}
        />
        {isOpen ? copy.connection.connected : copy.connection.disconnected}
      </p>
      {status.kind === 'retrying' ? (
        <p className="text-sm text-muted-foreground tabular-nums max-sm:sr-only">
          {copy.connection.retrying(status.attempt, limits.reconnectAttempts)}
        </p>
      ) : null}
      {canReconnect ? (
        <Button variant="secondary" size="sm" onClick={reconnect}>
          {copy.connection.reconnect}
        </Button>
      ) : null}
    </div>
  );
};
