import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type RequestOptions } from '@/lib/socket/pending-requests';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

/** The interface of the connection for features; implemented by SocketClient, provided by app/realtime.ts. */
export interface FeatureSocket {
  readonly isOpen: boolean;
  /** Returns false when the frame was not sent. */
  send: <E extends ClientEvent>(event: E, data: ClientInput<E>) => boolean;
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
