import { type ClientInput } from '@thaw/contract/client-frames';
import { type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';
import { type Clock } from '@/lib/clock';
import { type FeatureSocket } from '@/lib/socket/feature-socket';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface QueueCommandsOptions {
  clock: Clock;
  socket: () => FeatureSocket & { resync: () => void };
  state: () => Pick<RandomChatState, 'phase' | 'owesLeave'>;
  /** The server has taken the user out of the queue. */
  onLeft: () => void;
  /** The server did not accept the search. */
  onRefused: () => void;
}

const defaultPauseMs = 1_000;

/**
 * `join_queue` and `leave_queue`, each repeated until it is answered, for as long as it is still wanted. A command that
 * was cut off is not repeated here: the next `authenticate` tells what the server knows, and the reducer acts on it.
 */
export const createQueueCommands = ({ clock, socket, state, onLeft, onRefused }: QueueCommandsOptions) => {
  const join = (data: ClientInput<'join_queue'>): void => {
    const again = (): void => {
      if (state().phase === 'searching') join(data);
    };
    socket()
      .request('join_queue', data)
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        if (error.failure === 'timeout') return again();
        if (error.failure !== 'refused') return;
        if (error.code === 'already_in_session') return socket().resync();
        if (error.code === 'rate_limited') {
          clock.setTimeout(again, error.retryAfterMs ?? defaultPauseMs);
          return;
        }
        onRefused();
      });
  };

  const leave = (): void => {
    const again = (): void => {
      if (state().owesLeave) leave();
    };
    socket()
      .request('leave_queue', {}, { onAck: onLeft })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        if (error.failure === 'timeout') return again();
        if (error.failure !== 'refused') return;
        if (error.code === 'rate_limited') {
          clock.setTimeout(again, error.retryAfterMs ?? defaultPauseMs);
          return;
        }
        // Not in the queue: nothing is owed.
        onLeft();
      });
  };

  return { join, leave };
};
