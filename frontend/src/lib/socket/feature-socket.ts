import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type RequestOptions } from '@/lib/socket/pending-requests';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

/** The socket connection as features use it. SocketClient implements it; app/realtime.ts passes it to the features. */
export interface FeatureSocket {
  readonly isOpen: boolean;
  /** Sends a frame without waiting for a response. Returns false when the frame was not sent. */
  send: <E extends ClientEvent>(event: E, data: ClientInput<E>) => boolean;
  /** Sends a frame and resolves with the data of its ack; rejects with a SocketRequestError. */
  request: <E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    options?: RequestOptions,
  ) => Promise<Record<string, unknown>>;
}

/** Placeholder until app/realtime.ts provides the connection. */
export const disconnected: FeatureSocket = {
  isOpen: false,
  send: () => false,
  request: () => Promise.reject(new SocketRequestError('not_connected')),
};
