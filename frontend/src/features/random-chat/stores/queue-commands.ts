import { type ClientInput } from '@thaw/contract/client-frames';
import { type SocketErrorCode } from '@thaw/contract/error-codes';
import { type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';
import { type Clock } from '@/lib/clock';
import { type FeatureSocket } from '@/lib/socket/feature-socket';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface QueueCommandsOptions {
  clock: Clock;
  getSocket: () => FeatureSocket & { resync: () => void };
  getState: () => Pick<RandomChatState, 'phase' | 'isLeavePending'>;
  /** The user has left the queue, or was not in it. */
  onLeft: () => void;
  /** The server has refused the search. */
  onRefused: (code: SocketErrorCode | undefined) => void;
}

interface FailureOptions {
  /** Sends the command again if it is still needed. */
  retry: () => void;
  /** The server has refused the command, other than with `rate_limited`. */
  onRefused: (code: SocketErrorCode | undefined) => void;
}

/** Delay before a retry after `rate_limited` when the error contains no `retryAfterMs`. */
const defaultRetryDelayMs = 1_000;

/**
 * Sends `join_queue` and `leave_queue`. Retries each until the server has answered or the command is not needed any
 * more. A lost connection causes no retry here: the next `authenticated` frame contains the server's state, and the
 * reducer acts on it.
 */
export const createQueueCommands = ({
  clock,
  getSocket,
  getState,
  onLeft,
  onRefused,
}: QueueCommandsOptions) => {
  const handleFailure = (error: unknown, options: FailureOptions): void => {
    if (!(error instanceof SocketRequestError)) throw error;
    if (error.failure === 'timeout') {
      options.retry();
      return;
    }
    const isConnectionLost = error.failure !== 'refused';
    if (isConnectionLost) return;
    if (error.code === 'rate_limited')
      clock.setTimeout(options.retry, error.retryAfterMs ?? defaultRetryDelayMs);
    else options.onRefused(error.code);
  };

  const join = (data: ClientInput<'join_queue'>): void => {
    const retry = (): void => {
      if (getState().phase === 'searching') join(data);
    };
    const resyncOrReport = (code: SocketErrorCode | undefined): void => {
      // The user is in a chat that this page does not show yet. The resync restores it.
      if (code === 'already_in_session') getSocket().resync();
      else onRefused(code);
    };
    getSocket()
      .request('join_queue', data)
      .catch((error: unknown) => handleFailure(error, { retry, onRefused: resyncOrReport }));
  };

  const leave = (): void => {
    const retry = (): void => {
      if (getState().isLeavePending) leave();
    };
    getSocket()
      .request('leave_queue', {}, { onAck: onLeft })
      // A refusal means that the user is not in the queue: there is nothing to leave.
      .catch((error: unknown) => handleFailure(error, { retry, onRefused: onLeft }));
  };

  return { join, leave };
};
